package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Sample.SampleAnswer;
import io.github.switchover.jmeter.core.Sample.SampleClient;
import io.github.switchover.jmeter.core.Sample.SampleRequest;
import io.github.switchover.jmeter.core.Sample.SampleTimes;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.Head;
import io.github.switchover.jmeter.run.Journal;
import io.github.switchover.jmeter.run.SampleWriter;
import io.github.switchover.jmeter.run.Seal;
import io.github.switchover.jmeter.run.Traffic;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Records probes in the sample log and as points. On a full disk, lost lines are counted, and recording continues. */
public final class ProbeRecords implements ProbeSink {

    public static final String LABEL = "probe";

    /** The tag and the column {@code stream}: each probe has a new connection. */
    private static final String STREAM = "fresh";

    private final String url;
    private final SampleWriter samples;
    private final Journal journal;
    private final Traffic traffic;

    /** {@code worker}: empty if one process makes the whole run. The URL is written without its secrets. */
    public ProbeRecords(Path probes, Path journal, String run, String worker, String url) {
        this.url = PublicText.url(url);
        samples = new SampleWriter(probes);
        this.journal = new Journal(journal, Map.of());
        traffic = new Traffic(Measurements.PROBES, run, worker);
    }

    @Override
    public void take(List<ProbeResult> probes) {
        probes.forEach(this::record);
        samples.flush();
    }

    @Override
    public void secondPassed(long beforeUs) {
        traffic.flush(beforeUs).forEach(journal::writeLine);
    }

    @Override
    public void close() {
        samples.close();
        traffic.flush(Long.MAX_VALUE).forEach(journal::writeLine);
        journal.close();
    }

    @Override
    public long lost() {
        return samples.lost();
    }

    @Override
    public Map<String, Seal> seals() {
        return Map.of(name(samples.path()), samples.seal(), name(journal.path()), journal.seal());
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }

    @Override
    public @Nullable String warning() {
        return samples.lost() > 0
                ? samples.lost() + " probes could not be written to the sample log: is the disk full?"
                : journal.warning();
    }

    private void record(ProbeResult probe) {
        samples.write(sample(probe, url));
        Attempt attempt = probe.attempt();
        Identity identity = attempt.head().identity();
        FailureKind error = attempt.error();
        traffic.add(
                probe.endUs(),
                probe.endUs() - probe.intendedUs(),
                attempt.bytes().received(),
                traffic.series(Map.of(
                        "backend", identity.backend(),
                        "balancer", identity.balancer(),
                        "answered_by", identity.answeredBy().label(),
                        "outcome", probe.outcome().label(),
                        "error", error == null ? "" : error.label(),
                        "stream", STREAM)));
    }

    static Sample sample(ProbeResult probe, String url) {
        Attempt attempt = probe.attempt();
        Head head = attempt.head();
        return new Sample(
                new SampleTimes(
                        probe.startUs(),
                        probe.endUs(),
                        probe.intendedUs(),
                        attempt.connectNs() / Units.NS_PER_US,
                        attempt.latencyNs() / Units.NS_PER_US),
                new SampleRequest(LABEL, url, 1, STREAM, head.session()),
                new SampleAnswer(
                        attempt.error() == null,
                        attempt.error(),
                        head.status() == 0 ? "" : Integer.toString(head.status()),
                        head.reason(),
                        attempt.message(),
                        attempt.bytes().received(),
                        attempt.bytes().sent()),
                head.identity(),
                SampleClient.alone(STREAM));
    }
}
