package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.tomlj.Toml;
import org.tomlj.TomlArray;
import org.tomlj.TomlParseError;
import org.tomlj.TomlParseResult;
import org.tomlj.TomlTable;
import org.tomlj.TomlVersion;

/** Parses TOML into plain values: maps in the order of the file, lists, text, numbers, flags and dates. */
public final class TomlText {

    /** {@code source}: the name of the text in an error message. */
    public static Map<String, Object> parse(String text, String source) {
        // Python's tomllib accepts version 1.0. Both programs must accept the same files.
        TomlParseResult result;
        try {
            result = Toml.parse(text, TomlVersion.V1_0_0);
        } catch (RuntimeException | AssertionError | StackOverflowError error) {
            // The parser continues after an error, and may then throw an exception itself (measured with 2.2.0). It is
            // recursive for each bracket.
            throw new UsageException(source + ": not valid TOML", error);
        }
        if (result.hasErrors()) {
            TomlParseError first = result.errors().get(0);
            String what = String.valueOf(first.getMessage()).lines().findFirst().orElse("");
            throw new UsageException(source + ": not valid TOML: " + what + " (at " + first.position() + ")");
        }
        return plain(result);
    }

    private static Map<String, Object> plain(TomlTable table) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (String key : table.keySet()) {
            values.put(key, plain(table.get(List.of(key))));
        }
        return values;
    }

    private static Object plain(Object value) {
        if (value instanceof TomlTable table) {
            return plain(table);
        }
        if (value instanceof TomlArray array) {
            List<Object> values = new ArrayList<>();
            for (int i = 0; i < array.size(); i++) {
                values.add(plain(array.get(i)));
            }
            return values;
        }
        return value;
    }
}
