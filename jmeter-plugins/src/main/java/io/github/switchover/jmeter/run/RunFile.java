package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.FormerNames;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.Seal;
import io.github.switchover.jmeter.core.WholeFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads and writes {@code run.json}, whole or not at all. */
public final class RunFile {

    /** The last field of run.json: the CRC-32 of all that stands before it. */
    private static final Pattern CHECKSUM = Pattern.compile(",\\s*\"checksum\": \"([0-9a-f]{8})\"\\s*}\\s*\\z");

    private RunFile() {}

    /** With a checksum as its last field: a changed digit would move the fault, and every figure with it. */
    public static void write(Path directory, Run run) {
        WholeFile.write(directory.resolve(RunDirectory.RUN_FILE), withChecksum(Json.file(run)));
    }

    private static String withChecksum(String text) {
        String before = text.substring(0, text.length() - "\n}\n".length());
        return before + ",\n  \"checksum\": \"" + Seal.checksum(before.getBytes(StandardCharsets.UTF_8)) + "\"\n}\n";
    }

    /** Whether it is as the run wrote it; one without a checksum, of an older version, is taken as it is. */
    private static boolean isAsWritten(String text) {
        Matcher found = CHECKSUM.matcher(text);
        if (!found.find()) {
            return !text.contains("\"seals\"");
        }
        byte[] before = text.substring(0, found.start()).getBytes(StandardCharsets.UTF_8);
        return Seal.checksum(before).equals(found.group(1));
    }

    public static Run read(Path directory) {
        Path path = directory.resolve(RunDirectory.RUN_FILE);
        try {
            String text = WholeFile.read(path);
            if (!isAsWritten(text)) {
                throw new RunDirectoryException(
                        path + " is damaged, or was edited: its text does not match the checksum that the run wrote");
            }
            return parse(text);
        } catch (FileNotFoundException error) {
            if (Files.exists(path)) {
                throw RunDirectoryException.cannotRead(path, error);
            }
            throw new RunDirectoryException(
                    directory + " is no run directory: it has no " + RunDirectory.RUN_FILE, error);
        } catch (IOException error) {
            throw RunDirectoryException.cannotRead(path, error);
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
        return Json.read(
                FormerNames.renamed(Json.read(text, JsonElement.class)).toString(),
                Run.class,
                CutPhase.class,
                CutPhase::fields);
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
