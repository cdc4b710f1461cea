package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunSettings.FaultSettings;
import java.nio.file.Path;

/**
 * What is said about a run; null is what is not known.
 *
 * @param path the run directory, or the sample log
 * @param target its URL
 * @param fault null: none was staged yet
 * @param plan what is to be fired, and when
 * @param error why the fault counts as not done, if it does
 */
public record ShownRun(
        String id, Path path, String target, FaultRun fault, FaultSettings plan, String error, Double probeRate) {

    /** {@code run}: null while there is no run.json. */
    static ShownRun of(Path path, Run run) {
        if (run == null) {
            FaultSettings nothing = new FaultSettings(null, null, null, null);
            return new ShownRun(String.valueOf(path.getFileName()), path, null, null, nothing, null, null);
        }
        return new ShownRun(
                run.id(),
                path,
                run.target().url(),
                run.fault() == null || run.fault().isNone() ? null : run.fault(),
                run.settings().firing(),
                run.fault() == null ? null : run.fault().error(),
                run.settings().probing().probeRate());
    }
}
