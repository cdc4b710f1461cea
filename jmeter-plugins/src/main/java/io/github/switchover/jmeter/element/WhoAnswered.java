package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.engine.ClockQuestions;
import io.github.switchover.jmeter.recording.HeaderIdentity;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serial;
import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.testelement.TestStateListener;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterVariables;

/**
 * Sets the variables {@code backend}, {@code balancer} and {@code answered_by} to the server that answered the last
 * sample. They are written at every sample, so that a failed one does not inherit an earlier backend.
 *
 * <p>The fields of the element name the headers. For an empty field the run's target names the header, if this JVM
 * has a target.
 *
 * <p>In a remote test it lives on the servers. It carries the connection by which they compare their clock with the
 * client's.
 */
public class WhoAnswered extends AbstractTestElement implements PostProcessor, TableBean, TestStateListener {

    private static final long serialVersionUID = 1L;

    /** The fields as a thread has them at its first sample. */
    private transient String[] texts;

    private transient IdentitySettings settings;
    private transient HeaderIdentity who;

    /** The questions about the clocks; null if the test is not remote. */
    private transient ClockQuestions clock;

    @Override
    public void process() {
        JMeterContext context = getThreadContext();
        SampleResult result = context.getPreviousResult();
        if (result != null) {
            put(context.getVariables(), who().of(result));
        }
    }

    /**
     * While a test is on, a thread gets a copy that is no bean: JMeter spends longer on a bean than this on a sample.
     */
    @Override
    public Object clone() {
        WhoAnswered copy = (WhoAnswered) super.clone();
        return isRunningVersion() ? new ThreadCopy(copy) : copy;
    }

    private static final class ThreadCopy extends AbstractTestElement implements PostProcessor {

        private static final long serialVersionUID = 1L;

        private final transient WhoAnswered element;

        ThreadCopy(WhoAnswered element) {
            this.element = element;
            setName(element.getName());
        }

        @Override
        public void process() {
            element.process();
        }
    }

    @Override
    public void testStarted() {
        // The run's clock is this JVM's.
    }

    @Override
    public void testStarted(String server) {
        if (clock != null) {
            clock.before(server);
        }
    }

    @Override
    public void testEnded() {
        // The run's clock is this JVM's.
    }

    @Override
    public void testEnded(String server) {
        if (clock != null) {
            clock.after(server);
        }
    }

    static void put(JMeterVariables variables, Identity identity) {
        variables.put("backend", identity.backend());
        variables.put("balancer", identity.balancer());
        variables.put("answered_by", identity.answeredBy().label());
    }

    private HeaderIdentity who() {
        if (texts == null) {
            texts = new String[] {text("backendHeader"), text("balancerHeader"), text("upstreamTimeHeader")};
        }
        IdentitySettings now = settings();
        if (!now.equals(settings)) {
            settings = now;
            who = new HeaderIdentity(now);
        }
        return who;
    }

    private IdentitySettings settings() {
        IdentitySettings ofRun = Runs.ofThisJvm().identity();
        IdentitySettings usual = ofRun == null ? IdentitySettings.DEFAULT : ofRun;
        return settings(texts[0], texts[1], texts[2], usual);
    }

    /** The headers that the fields of an element name; an empty field names the usual one. */
    static IdentitySettings settings(String backend, String balancer, String upstreamTime, IdentitySettings usual) {
        return new IdentitySettings(
                new Field("", backend).orElse(usual.backendHeader()),
                new Field("", balancer).orElse(usual.balancerHeader()),
                new Field("", upstreamTime).orElse(usual.upstreamTimeHeader()),
                usual.stickyCookie(),
                usual.aliases());
    }

    /** While a test is on, it is sent to a server; JMeter's window copies elements in this way, too. */
    @Serial
    private void writeObject(ObjectOutputStream out) throws IOException {
        out.defaultWriteObject();
        clock = isRunningVersion() ? ClockQuestions.to(Runs.ofThisJvm()) : null;
        out.writeObject(clock);
    }

    @Serial
    private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
        in.defaultReadObject();
        clock = (ClockQuestions) in.readObject();
    }
}
