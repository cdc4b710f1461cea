package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.drill.BareTarget;
import io.github.switchover.jmeter.drill.DrillSettings;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.engine.ExitCode;
import io.github.switchover.jmeter.engine.SampleSenders;
import io.github.switchover.jmeter.recording.JMeterLoad;
import io.github.switchover.jmeter.recording.Recorder;
import io.github.switchover.jmeter.recording.RecorderSettings;
import io.github.switchover.jmeter.recording.RunPlace;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.util.JMeterUtils;

/** How a Switchover Listener's load is recorded. */
final class LoadRecording {

    /** JMeter's Flow Control Action, in a jar that is not needed otherwise: a sampler that makes no sample. */
    private static final String FLOW_CONTROL = "org.apache.jmeter.sampler.TestAction";

    private LoadRecording() {}

    /** JMeter ends with the last run's exit code, where the user has asked for it. */
    static void endWithItsCode() {
        ExitCode.endWith(() -> Runs.last() == null ? 0 : Runs.last().exitCode());
    }

    static Recorder open(RunPlace place) {
        if (!Runs.isConducted()) {
            RunLink.pointTo(place.directory());
        }
        // JMeter's clock counts milliseconds, of which the middle is taken.
        JMeterLoad.LoadOrigin load = new JMeterLoad.LoadOrigin(
                CurrentTest.planFile(),
                SampleSenders.chosen(),
                0.5,
                Map.of("jmeter", JMeterUtils.getJMeterVersion(), "java", System.getProperty("java.version")));
        RecorderSettings recorder = new RecorderSettings(place, load);
        return Recorder.open(recorder, CurrentTest::users);
    }

    /** Whether the samples of this sampler are requests of the load. */
    static boolean isRequest(TestElement sampler) {
        boolean isOurs = sampler instanceof StatisticsSampler || sampler instanceof MasterKill;
        return !isOurs && !sampler.getClass().getName().equals(FLOW_CONTROL);
    }

    /** Of a plan without a Balancer Target: a run of samples and nothing else. */
    static DrillSettings ownRun(SwitchoverListener element) {
        String out = new Field("", element.getOut()).orElse(BalancerTargetSettings.USUAL_OUT);
        String name = new Field("", element.getRunName()).orElse(BalancerTargetSettings.nameOfPlan());
        try {
            return DrillSettings.of(Path.of(out), name, target(element), 0.0).streamedTo(StreamProperties.of("", null));
        } catch (InvalidPathException error) {
            throw new UsageException("Folder of the runs: " + error.getReason(), error);
        }
    }

    /** Who conducts a run names its target; a run of the plan's own has none. */
    private static Target target(SwitchoverListener element) {
        String file = JMeterUtils.getPropDefault(BalancerTargetSettings.TARGET_PROPERTY, "");
        if (Runs.isConducted() && !file.isEmpty()) {
            return BalancerTargetSettings.target(file);
        }
        Target bare = BareTarget.of("");
        IdentitySettings usual = bare.identity();
        IdentitySettings identity = new IdentitySettings(
                new Field("", element.getBackendHeader()).orElse(usual.backendHeader()),
                new Field("", element.getBalancerHeader()).orElse(usual.balancerHeader()),
                usual.upstreamTimeHeader(),
                usual.stickyCookie(),
                usual.aliases());
        return new Target(
                bare.endpoint(), identity, bare.nodes(), bare.faults(), bare.influx(), bare.claim(), bare.origin());
    }
}
