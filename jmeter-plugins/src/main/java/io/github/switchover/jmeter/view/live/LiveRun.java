package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

/** A run whose directory others are writing. Not thread-safe. */
final class LiveRun {

    private final Path directory;
    private final ObservedRun observed;
    private final FileTail journals;
    private FileTime described;
    private FileTime judged;
    private ShownVerdict verdict;

    LiveRun(Path directory) {
        this.directory = directory;
        observed = new ObservedRun(directory);
        journals = FileTail.journals(directory);
    }

    /** Forgets what was counted until now. */
    void clear(long nowUs) {
        observed.clear(nowUs / Units.US_PER_S);
    }

    boolean isOver() {
        return verdict != null || observed.moments().endUs() != null;
    }

    /** Reads some of what was appended, {@link FileTail#SLICE_BYTES} of each file; true if there is more. */
    boolean advance(long nowUs) {
        long nowS = nowUs / Units.US_PER_S;
        boolean more = journals.read((file, line) -> observed.read(line, nowS));
        describe();
        observed.settle(nowS);
        return more;
    }

    RunSnapshot snapshot(long nowUs) {
        RunSnapshot.RunState state = verdict != null
                ? RunSnapshot.RunState.JUDGED
                : isOver() ? RunSnapshot.RunState.ENDED : RunSnapshot.RunState.RUNNING;
        return observed.snapshot(state, nowUs, verdict);
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
            verdict = ShownVerdict.read(
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
