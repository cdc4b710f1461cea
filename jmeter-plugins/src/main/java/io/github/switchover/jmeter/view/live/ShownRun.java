package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import java.nio.file.Path;
import java.util.Map;

/**
 * What is said about a run: its name, its target, its fault and its settings; null is what is not known.
 *
 * @param path the run directory, or the sample log
 * @param plan what is to be fired, and when
 * @param error why the fault counts as not done, if it does
 */
public record ShownRun(
        String id,
        Path path,
        String target,
        String fault,
        String victim,
        Double predictLowMs,
        Double predictHighMs,
        PlannedFault plan,
        String error,
        Double probeRate) {

    /** {@code run}: null while there is no run.json. */
    static ShownRun of(Path path, Run run) {
        if (run == null) {
            return new ShownRun(
                    String.valueOf(path.getFileName()),
                    path,
                    null,
                    null,
                    null,
                    null,
                    null,
                    PlannedFault.NONE,
                    null,
                    null);
        }
        FaultRun fault = run.fault() == null || run.fault().kind().equals(FaultRun.NONE) ? null : run.fault();
        Map<String, Object> settings = run.settings();
        return new ShownRun(
                run.id(),
                path,
                run.target().get("url") instanceof String url ? url : null,
                fault == null ? null : fault.name(),
                fault == null ? null : fault.victim(),
                fault == null ? null : fault.predictLowMs(),
                fault == null ? null : fault.predictHighMs(),
                PlannedFault.of(settings),
                run.fault() == null ? null : run.fault().error(),
                settings.get("probe_rate") instanceof Number rate ? (Double) rate.doubleValue() : null);
    }
}
