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

/** {@code run.json} as it comes about: changed from several threads, and saved at each step that must not be lost. */
final class RunRecord {

    private final Path directory;
    private Run run;
    private String unsaved;

    RunRecord(Path directory, Run run) {
        this.directory = directory;
        this.run = run;
    }

    /** The run's. */
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

    /** Records the reason why the run counts as not done: only the first error counts. */
    synchronized void blame(String error) {
        if (run.fault().error().isEmpty()) {
            fault(run.fault().with("error", error));
        }
    }

    /** Appends an error to the first: a failed heal must be shown even after earlier errors. */
    synchronized void blameToo(String error) {
        String first = run.fault().error();
        fault(run.fault().with("error", first.isEmpty() ? error : first + "; " + error));
    }

    /** A planned fault was not fired: the run is not the planned one. */
    synchronized void notFired(String fault, String why) {
        run = run.setting("fault_planned", fault);
        if (run.fault().isNone()) {
            fault(FaultRun.none(why));
        }
        blame(why);
    }

    /** No fault was fired, dry run or refused. */
    synchronized boolean isNothingTried() {
        return run.fault().isNone() && run.fault().error().isEmpty() && !run.isDryRun();
    }

    /** The run ends before its plan does. */
    synchronized void stop(String why) {
        if (run.stopped().isEmpty()) {
            run = run.with("stopped", why);
        }
    }

    synchronized void warn(String text) {
        if (text != null) {
            run = run.adding("warnings", List.of(text));
        }
    }

    synchronized void part(String name) {
        run = run.adding("parts", List.of(name));
    }

    /** A file was closed in order. */
    synchronized void seal(Path file, Seal seal) {
        run = run.sealed(Map.of(String.valueOf(file.getFileName()), seal));
    }

    /** A disk that is full now must not end a run whose fault is fired; it may have room at the next time. */
    synchronized void save() {
        try {
            RunFile.write(directory, run);
            unsaved = null;
        } catch (RunDirectoryException error) {
            unsaved = error.getMessage();
        }
    }

    /** The reason why run.json is incomplete; null if it is complete. */
    synchronized String unsaved() {
        return unsaved;
    }
}
