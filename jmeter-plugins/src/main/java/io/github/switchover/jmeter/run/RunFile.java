package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.WholeFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads and writes {@code run.json}, whole or not at all. */
public final class RunFile {

    private RunFile() {}

    public static void write(Path directory, Run run) {
        WholeFile.write(directory.resolve(RunDirectory.RUN_FILE), Json.file(run));
    }

    public static Run read(Path directory) {
        Path path = directory.resolve(RunDirectory.RUN_FILE);
        try {
            return parse(WholeFile.read(path));
        } catch (FileNotFoundException error) {
            if (Files.exists(path)) {
                throw new RunDirectoryException("cannot read " + path + ": " + Reason.of(error), error);
            }
            throw new RunDirectoryException(
                    directory + " is no run directory: it has no " + RunDirectory.RUN_FILE, error);
        } catch (IOException error) {
            throw new RunDirectoryException("cannot read " + path + ": " + Reason.of(error), error);
        } catch (IllegalArgumentException error) {
            throw new RunDirectoryException(
                    path + " is not a run description of schema " + Run.SCHEMA + ": " + error.getMessage(), error);
        }
    }

    /**
     * What Java does not know of is left out.
     *
     * @throws IllegalArgumentException which says what is wrong
     */
    public static Run parse(String text) {
        return Json.read(text, Run.class);
    }

    static void require(String field, Object value) {
        if (value == null) {
            throw new IllegalArgumentException(field + " is missing");
        }
    }

    /** A field of any shape that is null, is null. */
    static JsonElement known(JsonElement value) {
        return value == null || value.isJsonNull() ? null : value;
    }

    /** Nothing is an empty list. */
    static <T> List<T> copy(List<T> values) {
        return values == null
                ? List.of()
                : values.stream().filter(value -> value != null).toList();
    }

    /** Nothing is an empty map; the order stays. */
    static <V> Map<String, V> copy(Map<String, V> values) {
        return values == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }
}
