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
import org.jspecify.annotations.Nullable;

/**
 * Sets {@code backend}, {@code balancer} and {@code answered_by} after every sample, also after a failed sample.
 *
 * <p>An empty field means the header name of the run's target. In a remote test this element lives on the servers, and
 * compares the clock of each server with the client's clock.
 */
public class WhoAnswered extends AbstractTestElement implements PostProcessor, TableBean, TestStateListener {

    private static final long serialVersionUID = 1L;

    /** The fields with their values at the first sample of the thread. */
    private transient String @Nullable [] texts;

    private transient @Nullable IdentitySettings settings;
    private transient @Nullable HeaderIdentity who;

    /** Compares the clocks; null if the test is not remote. */
    private transient @Nullable ClockQuestions clock;

    @Override
    public void process() {
        JMeterContext context = getThreadContext();
        SampleResult result = context.getPreviousResult();
        if (result != null) {
            put(context.getVariables(), who().of(result));
        }
    }

    /** During a test each thread gets a copy that is not a bean, on which JMeter spends much time. */
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
        // The run uses the clock of this JVM.
    }

    @Override
    public void testStarted(String server) {
        if (clock != null) {
            clock.before(server);
        }
    }

    @Override
    public void testEnded() {
        // The run uses the clock of this JVM.
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
        IdentitySettings ofRun = Runs.ofThisJvm().identity();
        IdentitySettings usual = ofRun == null ? IdentitySettings.DEFAULT : ofRun;
        IdentitySettings now = settings(texts[0], texts[1], texts[2], usual);
        if (who == null || !now.equals(settings)) {
            settings = now;
            who = new HeaderIdentity(now);
        }
        return who;
    }

    /** Returns the headers that the fields of an element name. For an empty field, the default name is used. */
    static IdentitySettings settings(String backend, String balancer, String upstreamTime, IdentitySettings usual) {
        return new IdentitySettings(
                new Field("", backend).orElse(usual.backendHeader()),
                new Field("", balancer).orElse(usual.balancerHeader()),
                new Field("", upstreamTime).orElse(usual.upstreamTimeHeader()),
                usual.stickyCookie(),
                usual.aliases());
    }

    /** JMeter serializes this element to send it to a server during a test, and to copy it in its window. */
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
