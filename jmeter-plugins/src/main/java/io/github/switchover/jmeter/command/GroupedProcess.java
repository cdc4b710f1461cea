package io.github.switchover.jmeter.command;

import io.github.switchover.jmeter.core.Units;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * A program that leads a separate session, hence a process group. Ctrl-C at the terminal does not reach it, and it
 * can be ended with all processes that it has started.
 *
 * <p>Java cannot start one; util-linux's {@code setsid} can, and becomes the program itself. Without {@code setsid}
 * the program's children are found one by one, and children that have moved away are missed.
 */
public final class GroupedProcess {

    /** SIGKILL ends a process in milliseconds, unless it is not ours to kill or waits for a dead disk. */
    private static final long GONE_WITHIN_NS = Units.NS_PER_S;

    private static final String KILL_GROUP = "kill -s KILL -- \"-$1\" 2>/dev/null";

    private final Process process;
    private final boolean grouped;

    private GroupedProcess(Process process, boolean grouped) {
        this.process = process;
        this.grouped = grouped;
    }

    /**
     * Starts it with an empty input, unless the caller writes to it and closes it.
     *
     * @param variables environment variables that it gets in addition to the usual ones
     * @throws IOException with the operating system's reason, without the arguments
     */
    public static GroupedProcess start(List<String> command, List<String> variables) throws IOException {
        String reason = command.isEmpty() ? "no program is named" : Programs.whyNot(command.get(0));
        if (reason != null) {
            throw new IOException(reason);
        }
        List<String> arguments = Programs.hasShell() ? Programs.inSessionOfItsOwn(command) : command;
        boolean grouped = arguments.size() > command.size();
        try {
            return new GroupedProcess(
                    CommandEnvironment.process(arguments, variables).start(), grouped);
        } catch (IOException error) {
            // Its message quotes only the program, but describes Java more than the error.
            throw new IOException(
                    error.getCause() == null
                            ? "it did not start"
                            : error.getCause().getMessage(),
                    error);
        }
    }

    public Process process() {
        return process;
    }

    /** The number of its group, and of itself. */
    public long group() {
        return process.pid();
    }

    /** Ends its input; harmless if it reads nothing at all. */
    public void closeInput() {
        close(process.getOutputStream());
    }

    /** Closes a stream of a process; a failure changes nothing, since the process has gone. */
    public static void close(Closeable stream) {
        try {
            stream.close();
        } catch (IOException error) {
            return;
        }
    }

    public void killGroup() {
        if (!grouped) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            return;
        }
        try {
            Process killing = new ProcessBuilder(
                            Programs.SHELL.toString(), "-c", KILL_GROUP, "sh", Long.toString(group()))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            UninterruptedWait.awaitExit(killing, GONE_WITHIN_NS);
        } catch (IOException error) {
            process.destroyForcibly();
        }
    }

    /** True if it has ended, or does so in a moment. */
    public boolean isGone() {
        return UninterruptedWait.awaitExit(process, GONE_WITHIN_NS);
    }

    /**
     * The environment variables of this JVM that the commands of a target file get: a few that programs need, and
     * those that the file names. The rest may hold tokens that the commands must not see.
     */
    public static final class CommandEnvironment {

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
}
