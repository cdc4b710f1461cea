package io.github.switchover.jmeter.target;

import java.io.IOException;
import java.nio.file.Files;
import java.util.function.UnaryOperator;

/**
 * Values that do not stand in the file itself.
 *
 * @param environment by name, null where it is not set
 */
record Secrets(UnaryOperator<String> environment) {

    /** {@code env:NAME} is the value of that environment variable, {@code file:PATH} the first line of that file. */
    String read(TomlTable table, String key, String value) {
        if (value.startsWith("env:")) {
            String name = value.substring(4);
            String found = environment.apply(name);
            if (found == null) {
                throw table.error(key, "needs the environment variable " + name + ", which is not set");
            }
            return found;
        }
        if (value.startsWith("file:")) {
            String path = value.substring(5);
            return firstLine(table, key, path);
        }
        return value;
    }

    private static String firstLine(TomlTable table, String key, String path) {
        try {
            String text = Files.readString(table.path(key, path));
            return text.lines().findFirst().orElseThrow(() -> table.error(key, "cannot be read from " + path));
        } catch (IOException error) {
            throw table.error(key, "cannot be read from " + path);
        }
    }
}
