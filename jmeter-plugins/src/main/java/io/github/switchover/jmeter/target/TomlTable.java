package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException.TargetException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Units.Durations;
import io.github.switchover.jmeter.run.PointFormat;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * One table of a TOML file, read strictly: unknown keys and wrong types are errors, and each error names its place.
 * Read all known keys, then call {@link #done}. A key that was not read is unknown.
 */
final class TomlTable {

    private final Map<String, Object> values;
    private final String source;
    private final String folder;
    private List<String> variables;
    private final Set<String> asked = new LinkedHashSet<>();
    private String place;

    /** {@code folder}: the base of relative paths. */
    TomlTable(Object values, String place, String source, String folder) {
        this(values, place, source, folder, List.of());
    }

    private TomlTable(Object values, String place, String source, String folder, List<String> variables) {
        this.place = place;
        this.source = source;
        this.folder = folder;
        this.variables = variables;
        if (!(values instanceof Map<?, ?> map)) {
            throw wrong("[" + place + "] must be a table");
        }
        this.values = new LinkedHashMap<>();
        map.forEach((key, value) -> this.values.put((String) key, value));
    }

    void place(String name) {
        place = name;
    }

    /** Sets the environment variables that all further commands of this table receive. */
    void variables(List<String> names) {
        variables = List.copyOf(names);
    }

    List<String> variables() {
        return variables;
    }

    List<String> keys() {
        return List.copyOf(values.keySet());
    }

    /** Returns the value of any type; null if the key is missing. */
    Object any(String key) {
        asked.add(key);
        return values.get(key);
    }

    /** Returns the text of the key; null if the key is missing. */
    String string(String key) {
        return string(key, null);
    }

    String string(String key, String otherwise) {
        Object value = any(key);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof String text)) {
            throw error(key, "must be a string, not " + ReadableText.kindOf(value));
        }
        return text;
    }

    String required(String key) {
        String value = string(key);
        if (value == null || value.isEmpty()) {
            throw error(key, "is missing: it must be a non-empty string");
        }
        return value;
    }

    String choice(String key, List<String> choices, String otherwise) {
        String value = string(key, otherwise);
        if (value == null) {
            throw error(key, "is missing: it must be one of " + String.join(", ", choices));
        }
        if (!choices.contains(value)) {
            throw error(key, "must be one of " + String.join(", ", choices) + ", not " + ReadableText.of(value));
        }
        return value;
    }

    boolean flag(String key, boolean otherwise) {
        Object value = any(key);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof Boolean flag)) {
            throw error(key, "must be true or false, not " + ReadableText.of(value));
        }
        return flag;
    }

    int integer(String key, int otherwise, int low, int high) {
        Object value = any(key);
        if (value == null) {
            return otherwise;
        }
        if (!(value instanceof Long number) || number < low || number > high) {
            throw error(key, "must be a whole number from " + low + " to " + high + ", not " + ReadableText.of(value));
        }
        return Math.toIntExact(number);
    }

    /** Returns seconds, from a number or a text such as "250ms"; null if the key is missing. */
    Double durationS(String key) {
        Object value = any(key);
        if (value == null) {
            return null;
        }
        if (value instanceof String text) {
            try {
                return Durations.parseSeconds(text);
            } catch (UsageException error) {
                throw error(key, error.getMessage());
            }
        }
        Double number = number(value);
        if (number == null || number < 0) {
            throw error(key, "must be a duration (\"250ms\", or seconds), not " + ReadableText.of(value));
        }
        return number;
    }

    /**
     * Returns an argument list; null if the key is missing. A shell command line is refused, because quoting is a
     * common source of errors.
     */
    List<String> arguments(String key) {
        Object value = any(key);
        if (value == null) {
            return null;
        }
        if (value instanceof String) {
            throw error(key, "must be an argument list such as [\"systemctl\", \"stop\", \"nginx\"], not a string");
        }
        List<String> arguments = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(argument -> arguments.add(argument instanceof String text ? text : ""));
        }
        if (arguments.isEmpty() || arguments.contains("")) {
            throw error(key, "must be a non-empty list of non-empty strings");
        }
        String program = arguments.get(0);
        if (program.indexOf('/') >= 0) { // Like execvp(3): a name without a slash is searched in PATH.
            arguments.set(0, locate(program));
        }
        return arguments;
    }

    /** The path that the text of a key names. */
    Path path(String key, String text) {
        try {
            return Path.of(locate(text));
        } catch (InvalidPathException error) {
            throw error(key, "is no path");
        }
    }

    /** Returns the path relative to the file's folder; an absolute path does not change. */
    String locate(String path) {
        return path.startsWith("/") ? path : folder + "/" + path;
    }

    Map<String, String> strings(String key) {
        return entries(key, "must be a table of strings", entry -> entry instanceof String text ? text : null);
    }

    Map<String, Double> numbers(String key) {
        return entries(key, "must be a table of numbers above 0", entry -> {
            Double number = number(entry);
            return number != null && number > 0 ? number : null;
        });
    }

    /** Reads a table. {@code read} returns null for an invalid value. */
    private <T> Map<String, T> entries(String key, String must, Function<Object, T> read) {
        Map<String, T> found = new LinkedHashMap<>();
        Object value = any(key);
        if (value != null && !(value instanceof Map)) {
            throw error(key, must);
        }
        Map<?, ?> table = value == null ? Map.of() : (Map<?, ?>) value;
        table.forEach((name, entry) -> {
            T one = read.apply(entry);
            if (one == null) {
                throw error(key, must);
            }
            found.put((String) name, one);
        });
        return found;
    }

    /** Returns the table of the key; null if the key is missing. */
    TomlTable table(String key) {
        Object value = any(key);
        return value == null
                ? null
                : new TomlTable(value, place.isEmpty() ? key : place + "." + key, source, folder, variables);
    }

    /** Returns an array of tables, {@code [[node]]}. */
    List<TomlTable> tables(String key) {
        Object value = any(key);
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> list)) {
            throw error(key, "must be an array of tables: write [[" + key + "]]");
        }
        List<TomlTable> found = new ArrayList<>();
        for (Object entry : list) {
            found.add(new TomlTable(entry, key + " " + (found.size() + 1), source, folder, variables));
        }
        return found;
    }

    /** Returns one value of a list as a separate table, with the same place. */
    TomlTable alone(String key, Object value) {
        return new TomlTable(Map.of(key, value), place, source, folder, variables);
    }

    /** Refuses the keys that were not read. */
    void done() {
        for (String key : values.keySet()) {
            if (!asked.contains(key)) {
                Optional<String> near = CloseMatch.of(key, asked, CloseMatch.USUAL);
                Set<String> sorted = new TreeSet<>(PointFormat.CODE_POINT_ORDER);
                sorted.addAll(asked);
                throw error(
                        key,
                        "is unknown"
                                + near.map(word -> "; did you mean " + ReadableText.quoted(word) + "?")
                                        .orElse("; known: " + String.join(", ", sorted)));
            }
        }
    }

    TargetException error(String key, String what) {
        return wrong((place.isEmpty() ? key : "[" + place + "] " + key) + " " + what);
    }

    private TargetException wrong(String what) {
        return new TargetException(source + ": " + what);
    }

    private static Double number(Object value) {
        return value instanceof Long || value instanceof Double ? ((Number) value).doubleValue() : null;
    }
}
