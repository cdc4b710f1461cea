package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.http.ProbeClient;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.recording.ExactResult;
import io.github.switchover.jmeter.target.Target;
import java.util.Objects;
import org.apache.jmeter.samplers.AbstractSampler;
import org.apache.jmeter.samplers.Entry;
import org.apache.jmeter.samplers.Interruptible;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.ThreadListener;
import org.apache.jmeter.threads.JMeterVariables;

/**
 * One request, sent once: on a new connection or on the thread's own, with short time-outs and nothing behind the back of
 * the test; who answered stands in the variables of {@link WhoAnswered}.
 */
public class BalancerProbe extends AbstractSampler implements TableBean, Interruptible, ThreadListener {

    private static final long serialVersionUID = 1L;
    private static final RunClock CLOCK = RunClock.ofProcess();

    /** Its own; of another thread only interrupted. */
    private transient volatile ProbeClient client;

    private transient IdentitySettings identity;
    private transient ProbeRequest fields;
    private transient Target target;
    private transient Request request;
    private transient ProbeRequest.Address address;
    private transient ProbeAnswers answers;

    @Override
    public SampleResult sample(Entry entry) {
        ExactResult result = new ExactResult(CLOCK);
        result.setSampleLabel(getName());
        result.setDataType(SampleResult.TEXT);
        try {
            Request prepared = prepared();
            open();
            result.sampleStart();
            answers.put(result, address, client.send(prepared));
        } catch (SwitchoverException error) {
            ProbeAnswers.putRefusal(result, error.getMessage());
        }
        JMeterVariables variables = getThreadContext().getVariables();
        if (variables != null) {
            WhoAnswered.put(variables, result.identity());
        }
        return result;
    }

    /** At the Sample Timeout of the plan, which is a failure, or when the thread is stopped, which is none. */
    @Override
    public boolean interrupt() {
        ProbeClient now = client;
        if (now != null) {
            now.interrupt(
                    CurrentTest.isStopping(getThreadContext()) ? FailureKind.GENERATOR : FailureKind.READ_TIMEOUT);
        }
        return now != null;
    }

    @Override
    public void threadStarted() {
        // The first sample opens what it needs.
    }

    /** Nothing stays open. */
    @Override
    public void threadFinished() {
        if (client != null) {
            client.close();
            client = null;
        }
    }

    /** The request of the fields as they are now; what it takes to make one is done when they change. */
    private Request prepared() {
        ProbeRequest now = new ProbeRequest(
                text("url"),
                text("method"),
                text("headers"),
                text("body"),
                text("connection"),
                text("timeoutConnect"),
                text("timeoutRead"));
        Target ofRun = Runs.ofThisJvm().target();
        if (request == null || !now.equals(fields) || !Objects.equals(ofRun, target)) {
            request = null;
            address = now.address(ofRun);
            request = now.request(ofRun);
            fields = now;
            target = ofRun;
        }
        return request;
    }

    /** What the thread sends with, and what makes samples of its answers: anew for a run that reads them otherwise. */
    private void open() {
        IdentitySettings now = target == null ? IdentitySettings.DEFAULT : target.identity();
        if (client != null && now.equals(identity)) {
            return;
        }
        threadFinished();
        client = new ProbeClient(new io.github.switchover.jmeter.core.IdentityReader(now), now.stickyCookie());
        answers = new ProbeAnswers();
        identity = now;
    }
}
