package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.drill.DrillSettings;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.engine.SampleSenders;
import io.github.switchover.jmeter.recording.JMeterLoad;
import io.github.switchover.jmeter.recording.Recorder;
import io.github.switchover.jmeter.recording.RecorderSettings;
import io.github.switchover.jmeter.recording.RunPlace;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.Map;
import org.apache.jmeter.util.JMeterUtils;

/** How a Switchover Listener's load is recorded. */
final class LoadRecording {

    private LoadRecording() {}

    static Recorder open(RunPlace place) {
        RunLink.pointTo(place.directory());
        // JMeter's clock counts milliseconds, of which the middle is taken.
        JMeterLoad.LoadOrigin load = new JMeterLoad.LoadOrigin(
                CurrentTest.planFile(),
                SampleSenders.chosen(),
                0.5,
                Map.of("jmeter", JMeterUtils.getJMeterVersion(), "java", System.getProperty("java.version")));
        RecorderSettings recorder = new RecorderSettings(place, load);
        return Recorder.open(recorder, CurrentTest::users);
    }

    /** Of a plan without a Balancer Target: a run of samples and nothing else. */
    static DrillSettings ownRun(SwitchoverListener element) {
        Path out = BalancerTargetSettings.path(
                new Field(BalancerTarget.class, "out", element.getOut()), BalancerTargetSettings.USUAL_OUT);
        String name = new Field("", element.getRunName()).orElse(BalancerTargetSettings.nameOfPlan());
        return DrillSettings.of(out, name, target(element), 0.0).streamedTo(StreamProperties.of("", null));
    }

    /** Who conducts a run names its target; a run of the plan's own has none. */
    private static Target target(SwitchoverListener element) {
        String file = JMeterUtils.getPropDefault(BalancerTargetSettings.TARGET_PROPERTY, "");
        if (Runs.ofThisJvm().isConducted() && !file.isEmpty()) {
            return BalancerTargetSettings.target(file);
        }
        return Target.at(
                "",
                WhoAnswered.settings(
                        element.getBackendHeader(), element.getBalancerHeader(), "", IdentitySettings.DEFAULT));
    }
}
