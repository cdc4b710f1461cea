package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.PublicText;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of this JVM, which contain only typed words.
 *
 * <p>JMeter merges the properties of files, of {@code -q} and of {@code -J}, and any plan can set properties.
 */
public final class CommandLine {

    /** The arguments on Linux. {@link ProcessHandle} reads only one page, and returns nothing for longer arguments. */
    private static final Path OWN_ARGUMENTS = Path.of("/proc/self/cmdline");

    /** The encoding of process arguments. */
    private static final Charset NATIVE =
            Charset.forName(System.getProperty("sun.jnu.encoding", StandardCharsets.UTF_8.name()));

    private static final String OURS = "-Jswitchover.";
    private static final String SHORT = "-J";
    private static final String LONG = "--jmeterproperty";

    /** Returns the value that {@code -J} gave to a property; null: not typed, or the command line is unknown. */
    public static @Nullable String property(String name) {
        return property(name, arguments());
    }

    /** Returns the last typed value of a property, as JMeter does. */
    static @Nullable String property(String name, List<String> arguments) {
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

    /** Returns the typed properties of Switchover, which contain no secrets, for the record of the run. */
    public static List<String> ownWords() {
        return ownWords(arguments());
    }

    static List<String> ownWords(List<String> arguments) {
        return arguments.stream()
                .filter(word -> word.startsWith(OURS))
                .map(PublicText::text)
                .toList();
    }

    private static List<String> arguments() {
        try {
            String all = new String(Files.readAllBytes(OWN_ARGUMENTS), NATIVE);
            return List.of(all.replaceFirst("\0\\z", "").split("\0", -1));
        } catch (IOException error) {
            return ProcessHandle.current().info().arguments().map(List::of).orElse(List.of());
        }
    }
}
