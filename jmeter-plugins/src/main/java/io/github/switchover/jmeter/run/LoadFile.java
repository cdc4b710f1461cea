package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.JsonReader;
import io.github.switchover.jmeter.core.JsonText;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads and writes {@code load.json}, whole or not at all: the drill takes it into {@code run.json}. */
public final class LoadFile {

    public static final String NAME = "load.json";

    private LoadFile() {}

    public static void write(Path directory, LoadFacts facts) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("state", facts.state());
        values.put("generator", facts.generator());
        values.put("parts", facts.parts());
        values.put("workers", facts.workers());
        values.put("clocks", facts.clocks());
        values.put("settings", facts.settings());
        values.put("warnings", facts.warnings());
        WholeFile.write(directory.resolve(NAME), JsonText.of(values) + '\n');
    }

    /**
     * Null if the load has not told anything yet.
     *
     * @throws RunDirectoryException if what it told cannot be read
     */
    public static LoadFacts read(Path directory) {
        Path path = directory.resolve(NAME);
        if (!Files.exists(path)) {
            return null;
        }
        try {
            RunFields values = new RunFields(JsonReader.object(WholeFile.read(path)));
            return new LoadFacts(
                    values.requiredText("state"),
                    values.requiredText("generator"),
                    values.texts("parts"),
                    values.maps("workers"),
                    values.maps("clocks"),
                    values.map("settings"),
                    values.texts("warnings"));
        } catch (IOException error) {
            throw new RunDirectoryException("cannot read " + path + ": " + Reason.of(error), error);
        } catch (IllegalArgumentException error) {
            throw new RunDirectoryException(path + " does not describe a load: " + error.getMessage(), error);
        }
    }
}
