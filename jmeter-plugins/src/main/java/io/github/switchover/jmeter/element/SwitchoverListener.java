package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.ConsoleLine;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.drill.Drill;
import io.github.switchover.jmeter.drill.DrillSettings;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.engine.SampleSenders;
import io.github.switchover.jmeter.engine.TestStop;
import io.github.switchover.jmeter.recording.NoRequest;
import io.github.switchover.jmeter.recording.Recorder;
import io.github.switchover.jmeter.recording.Recorder.RunPlace;
import io.github.switchover.jmeter.target.Target;
import java.io.Serializable;
import java.nio.file.Path;
import org.apache.jmeter.engine.util.NoThreadClone;
import org.apache.jmeter.samplers.Remoteable;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.testelement.TestStateListener;
import org.apache.jmeter.util.JMeterUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the load into the run of a Balancer Target or of another process, otherwise into a separate run.
 *
 * <p>In a remote test the listener runs on the client, with a clone for each server. It never blocks the thread of a
 * sample, except that the first sample waits for the run directory.
 */
public class SwitchoverListener extends AbstractTestElement
        implements SampleListener, TestStateListener, Remoteable, NoThreadClone, Serializable {

    private static final long serialVersionUID = 1L;
    private static final Logger log = LoggerFactory.getLogger(SwitchoverListener.class);

    /** The property with the folder of a run that the listener starts itself. */
    static final String OUT_PROPERTY = "switchover.out";

    /** The current recording. */
    private transient volatile @Nullable Recorder recording;

    private transient volatile boolean refused;
    private transient String host = "";

    /** JMeter calls this method on all elements before it notifies the first element that the test has started. */
    @Override
    public void setRunningVersion(boolean running) {
        super.setRunningVersion(running);
        if (running) {
            Runs.ofThisJvm().announce(this);
        }
    }

    @Override
    public void testStarted() {
        begin("");
    }

    @Override
    public void testStarted(String server) {
        begin(server);
        String reason = SampleSenders.refusal(SampleSenders.chosen());
        if (reason != null) {
            stopTest(reason, server);
        }
    }

    @Override
    public void testEnded() {
        end();
    }

    @Override
    public void testEnded(String server) {
        end();
    }

    @Override
    public void sampleOccurred(SampleEvent event) {
        Recorder now = recording;
        if (now == null) {
            now = refused ? null : attach();
        }
        if (now == null) {
            return;
        }
        now.record(event, host);
        SampleResult result = event.getResult();
        // After a transaction, the current sampler of the thread is still the last sampler of the transaction.
        if (host.isEmpty() && !NoRequest.is(result)) {
            now.notes().look(result.getSampleLabel(), CurrentTest.sampler());
        }
    }

    @Override
    public void sampleStarted(SampleEvent event) {
        // Nothing is known of the sample yet.
    }

    @Override
    public void sampleStopped(SampleEvent event) {
        // JMeter never calls this method.
    }

    private void begin(String server) {
        host = server;
        recording = null;
        refused = false;
        Runs.ofThisJvm().enter(this, server);
        try {
            BalancerTargetSettings.refuseFormerNames(this);
            // Check the properties at the start: the first sample, which may create the run, comes too late to refuse a
            // setting.
            BalancerTargetSettings.streamTo("", null);
        } catch (SwitchoverException error) {
            stopTest(error.getMessage(), server);
        }
    }

    /** Stops the test and the run of a Balancer Target, because the run would not contain the load. */
    private void stopTest(String reason, String server) {
        refused = true;
        Drill drill = Runs.ofThisJvm().current();
        if (drill != null) {
            drill.stop(reason);
        }
        TestStop.because(reason, server);
    }

    private void end() {
        // A load without samples is also recorded.
        Recorder now = attach();
        if (now != null) {
            now.ended(host);
        }
        recording = null;
        refused = true;
        Runs.ofThisJvm().leave(this, host);
    }

    /** Returns the recording; null if nothing can be recorded, in which case the reason was already reported. */
    private synchronized @Nullable Recorder attach() {
        if (recording != null || refused) {
            return recording;
        }
        try {
            Recorder recorder =
                    Runs.ofThisJvm().attach(Recorder.class, SwitchoverListener::open, SwitchoverListener::ownRun);
            if (recorder.began(host)) {
                recording = recorder;
            } else {
                String reason = "a plan can have one Switchover Listener: " + getName()
                        + " is a second listener and records nothing;"
                        + " put one at the top of the plan and disable the others";
                recorder.notes().warn(reason);
                refuse(reason);
            }
        } catch (SwitchoverException error) {
            refuse(error.getMessage());
        }
        return recording;
    }

    private void refuse(String reason) {
        refused = true;
        log.error("Switchover: nothing is recorded: {}", reason);
        ConsoleLine.print("Switchover: nothing is recorded: " + reason);
    }

    private static Recorder open(RunPlace place) {
        // JMeter's clock counts whole milliseconds. Times are set to the middle of the millisecond, so the error is
        // at most 0.5 ms.
        Tree load = Tree.of(
                "plan", CurrentTest.planFile(),
                "sample_sender", SampleSenders.chosen(),
                "timestamp_bound_ms", 0.5,
                "versions",
                        Tree.of("jmeter", JMeterUtils.getJMeterVersion(), "java", System.getProperty("java.version")));
        return Recorder.open(place, load, CurrentTest::users);
    }

    /** Returns the settings of a run in a plan without a Balancer Target. This run contains only samples. */
    private static DrillSettings ownRun() {
        Field folder = new Field(BalancerTarget.class, "out", JMeterUtils.getPropDefault(OUT_PROPERTY, ""));
        Path out = BalancerTargetSettings.path(folder, BalancerTargetSettings.USUAL_OUT);
        return DrillSettings.of(
                out, BalancerTargetSettings.nameOfPlan(), target(), 0.0, BalancerTargetSettings.streamTo("", null));
    }

    /** Returns the target of the run that another process controls; otherwise only the default identity headers. */
    private static Target target() {
        String file = JMeterUtils.getPropDefault(BalancerTargetSettings.TARGET_PROPERTY, "");
        return Runs.ofThisJvm().isConducted() && !file.isEmpty()
                ? BalancerTargetSettings.target(file)
                : Target.at("", IdentitySettings.DEFAULT);
    }
}
