package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.run.Seal;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The content of {@code run.json} during the run. Several threads change it. It is saved after each important step. */
final class RunRecord {

    private final Path directory;
    private Run run;
    private @Nullable String unsaved;

    RunRecord(Path directory, Run run) {
        this.directory = directory;
        this.run = run;
    }

    Path directory() {
        return directory;
    }

    synchronized Run run() {
        return run;
    }

    synchronized PlanTimes plan() {
        return run.plan();
    }

    synchronized FaultRun fault() {
        return run.fault();
    }

    synchronized void change(UnaryOperator<Run> change) {
        run = change.apply(run);
    }

    synchronized void plan(UnaryOperator<PlanTimes> change) {
        run = run.with(change.apply(run.plan()));
    }

    synchronized void fault(FaultRun fault) {
        run = run.with(fault);
    }

    /** Records an error that makes the fault count as not fired. Later errors do not replace it. */
    synchronized void blame(String error) {
        if (run.fault().error().isEmpty()) {
            fault(run.fault().with("error", error));
        }
    }

    /** Appends an error to the recorded error: a failed heal must be shown even after an earlier error. */
    synchronized void blameToo(String error) {
        String first = run.fault().error();
        fault(run.fault().with("error", first.isEmpty() ? error : first + "; " + error));
    }

    /** Records that the planned fault was not fired: the run is not the planned run. */
    synchronized void notFired(String fault, String why) {
        run = run.setting("fault_planned", fault);
        if (run.fault().isNone()) {
            fault(FaultRun.none(why));
        }
        blame(why);
    }

    /** True if no fault was fired, tried in a dry run, or refused. */
    synchronized boolean isNothingTried() {
        return run.fault().isNone() && run.fault().error().isEmpty() && !run.isDryRun();
    }

    /** Records that the run ended before all planned steps were done. */
    synchronized void stop(String why) {
        if (run.stopped().isEmpty()) {
            run = run.with("stopped", why);
        }
    }

    synchronized void warn(@Nullable String text) {
        if (text != null) {
            run = run.adding("warnings", List.of(text));
        }
    }

    synchronized void part(String name) {
        run = run.adding("parts", List.of(name));
    }

    /** Records the seal of a file that was closed. */
    synchronized void seal(Path file, Seal seal) {
        run = run.sealed(Map.of(String.valueOf(file.getFileName()), seal));
    }

    /** A full disk must not end a run whose fault was fired. The next call tries to save again. */
    synchronized void save() {
        try {
            RunFile.write(directory, run);
            unsaved = null;
        } catch (RunDirectoryException error) {
            unsaved = error.getMessage();
        }
    }

    /** The reason why run.json is incomplete. */
    synchronized @Nullable String unsaved() {
        return unsaved;
    }
}
