package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.recording.NoRequest;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.Transport;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.jmeter.samplers.AbstractSampler;
import org.apache.jmeter.samplers.Entry;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.threads.JMeterVariables;
import org.jspecify.annotations.Nullable;

/** A sampler that scrapes one balancer into variables and a text. A failed scrape removes the variables. */
public abstract class StatisticsSampler extends AbstractSampler implements TableBean {

    private static final long serialVersionUID = 1L;

    private transient @Nullable Set<String> known = new TreeSet<>();

    /** The result of a scrape: the figures by their names without the prefix, and the text. */
    record Scraped(Map<String, String> figures, String text) {}

    /** Returns the source of the node for this kind of statistics. */
    abstract @Nullable Source sourceOf(Node node);

    /** Returns the key of this source in the target file. */
    abstract String key();

    abstract Scraped scrape(Source from, double timeoutS);

    @Override
    public SampleResult sample(Entry entry) {
        NoRequest result = NoRequest.start(getName());
        try {
            double timeoutS = field("timeout").seconds(Transport.TIMEOUT_S);
            Source from = from();
            result.setSamplerData(from.toString());
            Scraped scraped = scrape(from, timeoutS);
            result.finish(true, "OK", scraped.text());
            keep(scraped.figures());
        } catch (SwitchoverException error) {
            result.finish(false, error.getMessage(), error.getMessage());
            keep(Map.of());
        }
        return result;
    }

    private Source from() {
        Field written = field("source");
        if (!written.isEmpty()) {
            Source found = Source.of(written.orElse(""));
            if (found == null || found instanceof Source.Fifo) {
                throw written.refusal(written.shown()
                        + " is invalid: write unix:/run/haproxy/admin.sock, tcp://lb1:9999 or http://lb1:8404/stats");
            }
            return found;
        }
        Field name = field("node");
        if (name.isEmpty()) {
            throw new UsageException("no source is set: fill in " + name.name() + ", or " + written.name());
        }
        Source found = sourceOf(target().node(name.orElse("")));
        if (found == null) {
            throw new UsageException("[[node]] " + name.orElse("") + " of the target file has no " + key()
                    + ": add it, or fill in " + written.name());
        }
        return found;
    }

    private Field field(String key) {
        return new Field(getClass(), key, text(key));
    }

    /** Returns the target of the run. A server of a remote test has no run. */
    private static Target target() {
        Target target = Runs.ofThisJvm().target();
        if (target == null) {
            throw new UsageException("the node is not known here: the plan needs a Balancer Target, and a server of a"
                    + " remote test needs a Source: fill in Source instead");
        }
        return target;
    }

    private void keep(Map<String, String> figures) {
        JMeterVariables variables = getThreadContext().getVariables();
        if (variables == null) {
            return;
        }
        String before = field("prefix").orElse(key()) + "_";
        Set<String> names = known == null ? new TreeSet<>() : known;
        known = names;
        names.forEach(variables::remove);
        names.clear();
        figures.forEach((name, value) -> {
            variables.put(before + name, value);
            names.add(before + name);
        });
    }
}
