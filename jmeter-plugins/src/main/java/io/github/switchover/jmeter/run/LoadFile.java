package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads and writes {@code load.json}, whole or not at all: the drill takes it into {@code run.json}. */
public final class LoadFile {

    public static final String NAME = "load.json";

    private LoadFile() {}

    public static void write(Path directory, LoadFacts facts) {
        WholeFile.write(directory.resolve(NAME), Json.file(facts));
    }

    /**
     * Null if the load has told nothing yet.
     *
     * @throws RunDirectoryException if what it told cannot be read
     */
    public static LoadFacts read(Path directory) {
        Path path = directory.resolve(NAME);
        if (!Files.exists(path)) {
            return null;
        }
        try {
            return Json.read(WholeFile.read(path), LoadFacts.class);
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(path, error);
        } catch (IllegalArgumentException error) {
            throw new RunDirectoryException(path + " does not describe a load: " + error.getMessage(), error);
        }
    }
}
