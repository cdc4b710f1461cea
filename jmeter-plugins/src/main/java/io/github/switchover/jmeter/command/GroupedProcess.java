package io.github.switchover.jmeter.command;

import io.github.switchover.jmeter.core.Units;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Set;

/**
 * A process in a separate session and process group, which Ctrl-C does not reach, and which is ended as a whole.
 *
 * <p>The util-linux program {@code setsid} starts it. Without {@code setsid}, only descendants whose parent still runs
 * are ended.
 */
public final class GroupedProcess {

    /** The longest wait after SIGKILL. Another user's process, or one that waits for a dead disk, survives. */
    private static final long GONE_WITHIN_NS = Units.NS_PER_S;

    private static final String KILL_GROUP = "kill -s KILL -- \"-$1\" 2>/dev/null";

    private static final Set<String> VARIABLES =
            Set.of("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "SSH_AUTH_SOCK");

    private final Process process;
    private final boolean grouped;

    private GroupedProcess(Process process, boolean grouped) {
        this.process = process;
        this.grouped = grouped;
    }

    /** Starts a process, whose input the caller must close. Throws IOException with the system's reason. */
    public static GroupedProcess start(List<String> command, List<String> variables) throws IOException {
        String reason = Programs.whyNot(command);
        if (reason != null) {
            throw new IOException(reason);
        }
        List<String> arguments = Programs.inSessionOfItsOwn(command);
        boolean grouped = arguments.size() > command.size();
        try {
            return new GroupedProcess(builder(arguments, variables).start(), grouped);
        } catch (IOException error) {
            // The message of the cause has the operating system's reason; the message of this exception is mainly about
            // Java.
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

    /** The id of the process group, which is also the process id. */
    public long group() {
        return process.pid();
    }

    /** Closes a stream or a socket that is no longer needed. A failure is ignored. */
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

    /** True if the process has ended, or ends within one second. */
    public boolean isGone() {
        return UninterruptedWait.awaitExit(process, GONE_WITHIN_NS);
    }

    /** Returns a process builder with only the usual environment variables, and those that the target file lists. */
    public static ProcessBuilder builder(List<String> command, List<String> variables) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeIf(name -> !VARIABLES.contains(name) && !variables.contains(name));
        return builder;
    }
}
