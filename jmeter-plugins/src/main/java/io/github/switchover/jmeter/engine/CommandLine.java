package io.github.switchover.jmeter.engine;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What was typed when this JVM was started, as the operating system has kept it.
 *
 * <p>JMeter puts the properties of its files, of {@code -q} and of {@code -J} into one table, and forgets which came from
 * where; any plan may set them, too. The line in {@code sun.java.command} is no witness either: it has its words joined
 * by blanks, so one word may look like two, and it has what stood in an {@code @file}. The arguments of the process
 * are exact, hold what was typed and nothing from a file, and cannot be changed by a plan.
 */
public final class CommandLine {

    /** Of Linux. {@link ProcessHandle} reads one page of it there, and tells nothing of a longer one. */
    private static final Path OWN_ARGUMENTS = Path.of("/proc/self/cmdline");

    private static final String SHORT = "-J";
    private static final String LONG = "--jmeterproperty";

    private CommandLine() {}

    /** The value that {@code -J} gave to a property of JMeter; null: it did not, or the system cannot tell. */
    public static String property(String name) {
        return property(name, arguments());
    }

    /** The last one counts, as it does for JMeter. */
    static String property(String name, List<String> arguments) {
        String value = null;
        for (int i = 0; i < arguments.size(); i++) {
            String word = arguments.get(i);
            boolean isApart = word.equals(SHORT) || word.equals(LONG);
            String option = isApart ? word : word.startsWith(LONG + "=") ? LONG + "=" : SHORT;
            String given = isApart
                    ? i + 1 < arguments.size() ? arguments.get(i + 1) : ""
                    : word.startsWith(option) ? word.substring(option.length()) : "";
            if (given.startsWith(name + "=")) {
                value = given.substring(name.length() + 1);
            }
        }
        return value;
    }

    private static List<String> arguments() {
        try {
            return List.of(
                    Files.readString(OWN_ARGUMENTS, StandardCharsets.ISO_8859_1).split("\0", -1));
        } catch (IOException error) {
            return ProcessHandle.current().info().arguments().map(List::of).orElse(List.of());
        }
    }
}
