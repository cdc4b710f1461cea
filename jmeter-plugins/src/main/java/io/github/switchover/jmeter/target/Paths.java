package io.github.switchover.jmeter.target;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/** Paths as a target file names them; a relative one counts from the file's folder. */
final class Paths {

    private Paths() {}

    static Path of(TomlTable table, String key, String text) {
        try {
            return Path.of(table.locate(text));
        } catch (InvalidPathException error) {
            throw table.error(key, "is no path");
        }
    }
}
