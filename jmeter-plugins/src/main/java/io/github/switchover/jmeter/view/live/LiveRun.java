package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.VerdictFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

/** A run whose directory others are writing. Not thread-safe. */
final class LiveRun {

    private final Path directory;
    private final ObservedRun observed;
    private final FileTail journals;
    private final FileTail samples;
    private final FailureRows failures = new FailureRows();
    private FileTime described;
    private FileTime judged;
    private Verdict verdict;

    LiveRun(Path directory) {
        this.directory = directory;
        observed = new ObservedRun(directory);
        journals = FileTail.journals(directory);
        samples = FileTail.samples(directory);
    }

    /** Forgets what was counted until now. */
    void clear(long nowUs) {
        observed.clear(nowUs / Units.US_PER_S);
        failures.clear();
    }

    boolean isOver() {
        return verdict != null || observed.moments().endUs() != null;
    }

    /** Reads some of what was appended, {@link FileTail#SLICE_BYTES} of each file; true if there is more. */
    boolean advance(long nowUs) {
        long nowS = nowUs / Units.US_PER_S;
        boolean more = journals.read((file, line) -> observed.read(line, nowS));
        more |= samples.read(failures::read);
        describe();
        observed.settle(nowS);
        return more;
    }

    RunSnapshot snapshot(long nowUs) {
        RunSnapshot.RunState state = verdict != null
                ? RunSnapshot.RunState.JUDGED
                : isOver() ? RunSnapshot.RunState.ENDED : RunSnapshot.RunState.RUNNING;
        return observed.snapshot(state, nowUs, verdict, failures.byKind());
    }

    /** Both are replaced whole, and only when something has happened. */
    private void describe() {
        FileTime stamp = stamp(RunDirectory.RUN_FILE);
        if (stamp != null && !stamp.equals(described)) {
            try {
                observed.describe(RunFile.read(directory));
                described = stamp;
            } catch (RunDirectoryException error) {
                return; // it may be there, and whole, at the next time
            }
        }
        FileTime written = stamp(RunDirectory.VERDICT_FILE);
        if (written != null && !written.equals(judged)) {
            judged = written;
            verdict = VerdictFile.read(
                    directory, observed.run() == null ? "" : observed.run().id());
        }
    }

    private FileTime stamp(String name) {
        try {
            return Files.getLastModifiedTime(directory.resolve(name));
        } catch (IOException error) {
            return null;
        }
    }
}
