package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.PublicText;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The words that were typed when this JVM started, from the operating system.
 *
 * <p>JMeter puts the properties of its files, of {@code -q} and of {@code -J} into one table without their origin. Any
 * plan can set properties, too. The line in {@code sun.java.command} is not usable either, because its words are joined
 * by blanks, and it contains the contents of an {@code @file}. The arguments of the process are exact: they contain
 * only typed words, and a plan cannot change them.
 */
public final class CommandLine {

    /** The arguments on Linux. {@link ProcessHandle} reads only one page, and returns nothing for longer arguments. */
    private static final Path OWN_ARGUMENTS = Path.of("/proc/self/cmdline");

    /** The encoding of process arguments. */
    private static final Charset NATIVE =
            Charset.forName(System.getProperty("sun.jnu.encoding", StandardCharsets.UTF_8.name()));

    private static final String LINE = "sun.java.command";

    /** JMeter's options whose arguments may be secrets. */
    private static final Pattern SECRET_OPTION = Pattern.compile(
            "(-[JDGa]|--(?:jmeterproperty|systemproperty|globalproperty|password)(?==|\\z))(.*)", Pattern.DOTALL);

    private static final String OURS = "-Jswitchover.";
    private static final String HIDDEN = "…";
    private static final String SHORT = "-J";
    private static final String LONG = "--jmeterproperty";

    private CommandLine() {}

    /**
     * Returns the value that {@code -J} gave to a property of JMeter; null: the option was not typed, or the command
     * line is unknown.
     */
    public static String property(String name) {
        return property(name, arguments());
    }

    /** The last value is used, as in JMeter. */
    static String property(String name, List<String> arguments) {
        String value = null;
        for (int i = 0; i < arguments.size(); i++) {
            String status = arguments.get(i);
            boolean isApart = status.equals(SHORT) || status.equals(LONG);
            String option = isApart ? status : status.startsWith(LONG + "=") ? LONG + "=" : SHORT;
            String given = isApart
                    ? i + 1 < arguments.size() ? arguments.get(i + 1) : ""
                    : status.startsWith(option) ? status.substring(option.length()) : "";
            if (given.startsWith(name + "=")) {
                value = given.substring(name.length() + 1);
            }
        }
        return value;
    }

    /**
     * Returns the words after {@code jmeter} for the record of the run. The password of a proxy and the values of
     * properties are left out. Values of Switchover's properties are included, because they contain no secrets.
     */
    public static List<String> publicWords() {
        return publicWords(statuses(System.getProperty(LINE, ""), arguments()));
    }

    /** Omits the argument of an option that may contain a secret. The argument may be the next words. */
    static List<String> publicWords(List<String> typed) {
        List<String> shown = new ArrayList<>();
        boolean isArgument = false;
        boolean isSecret = false;
        for (String status : typed) {
            if (isArgument || (isSecret && !status.startsWith("-"))) {
                shown.add(HIDDEN);
                isArgument = false;
                continue;
            }
            Matcher option = SECRET_OPTION.matcher(status);
            isSecret = option.matches() && !status.startsWith(OURS);
            isArgument = isSecret && option.group(2).isEmpty();
            String argument = isArgument ? "" : HIDDEN;
            shown.add(isSecret ? option.group(1) + argument : PublicText.text(status));
        }
        return shown;
    }

    /**
     * Returns the words after the program. {@code line}: Java's text of the program and its words, joined by blanks.
     */
    static List<String> statuses(String line, List<String> arguments) {
        for (int at = 0; at < arguments.size(); at++) {
            if (String.join(" ", arguments.subList(at, arguments.size())).equals(line)) {
                return arguments.subList(at + 1, arguments.size());
            }
        }
        List<String> split = List.of(line.split(" ", -1));
        return split.subList(1, split.size());
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
