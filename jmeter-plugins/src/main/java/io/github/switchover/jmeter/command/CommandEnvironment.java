package io.github.switchover.jmeter.command;

import java.util.List;
import java.util.Set;

/**
 * What of this JVM's environment the commands of a target file get: a few variables that programs need, and those that
 * the file names. The rest may hold tokens that are none of their business.
 */
public final class CommandEnvironment {

    private static final Set<String> USUAL =
            Set.of("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "SSH_AUTH_SOCK");

    private CommandEnvironment() {}

    /** The builder of a process that gets no more than that. */
    public static ProcessBuilder process(List<String> command, List<String> variables) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> !USUAL.contains(name) && !variables.contains(name));
        return builder;
    }
}
