package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.WholeFile;
import java.io.IOException;
import java.nio.file.Path;

/** Reads and writes {@code verdict.json}. */
public final class VerdictFile {

    private VerdictFile() {}

    /**
     * Replaces what there is.
     *
     * @throws io.github.switchover.jmeter.core.RunDirectoryException if it cannot be written
     */
    public static void write(Path directory, Verdict verdict) {
        WholeFile.write(directory.resolve(RunDirectory.VERDICT_FILE), text(verdict));
    }

    public static String text(Verdict verdict) {
        return Json.file(verdict);
    }

    /**
     * The verdict that a text holds.
     *
     * @throws IllegalArgumentException which says what is wrong
     */
    public static Verdict parse(String text) {
        return Json.read(text, Verdict.class);
    }

    /** What stands there of the run with this id; null if there is nothing, or something else. */
    public static Verdict read(Path directory, String run) {
        try {
            Verdict verdict = parse(WholeFile.read(directory.resolve(RunDirectory.VERDICT_FILE)));
            return run.equals(verdict.run()) ? verdict : null;
        } catch (IOException | IllegalArgumentException error) {
            return null;
        }
    }
}
