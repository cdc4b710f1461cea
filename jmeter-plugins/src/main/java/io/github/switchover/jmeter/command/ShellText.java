package io.github.switchover.jmeter.command;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Commands as a shell reads them. */
public final class ShellText {

    private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

    private ShellText() {}

    /** An argument list that can be pasted into a terminal. */
    public static String of(List<String> command) {
        return command.stream()
                .map(argument -> PLAIN.matcher(argument).matches() ? argument : quoted(argument))
                .collect(Collectors.joining(" "));
    }

    private static String quoted(String argument) {
        return "'" + argument.replace("'", "'\"'\"'") + "'";
    }
}
