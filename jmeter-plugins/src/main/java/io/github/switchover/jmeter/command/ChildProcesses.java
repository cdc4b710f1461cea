package io.github.switchover.jmeter.command;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * No command outlives the JVM that started it, not even when that is killed with SIGKILL.
 *
 * <p>One small shell process is told the process groups over a pipe; when the pipe ends, because its owner closed it or
 * died, it kills those that are left. It is started with the first group. Thread-safe.
 */
public final class ChildProcesses implements AutoCloseable {

    /** Signals of a terminal or a service manager are not for it. */
    private static final String KEEPER = """
            trap '' INT TERM HUP QUIT
            end() { kill -s KILL -- "-$1" 2>/dev/null; }
            held=' '
            while IFS= read -r line; do
                group=${line#?}
                case $line in
                    +*) held="$held$group " ;;
                    *)  end "$group"
                        case $held in
                            *" $group "*) held="${held%% $group *} ${held#* $group }" ;;
                        esac ;;
                esac
            done
            for group in $held; do end "$group"; done
            """;

    private static final long END_NS = 5_000_000_000L;

    private Process keeper;
    private boolean closed;

    /** From now on it ends with this JVM. */
    public void hold(GroupedProcess process) {
        tell("+" + process.group(), true);
    }

    /** What is left of it ends now. */
    public void end(GroupedProcess process) {
        if (!tell("-" + process.group(), false)) {
            process.killGroup();
        }
    }

    /** Ends all that is still held. */
    @Override
    public void close() {
        Process ending;
        synchronized (this) {
            ending = keeper;
            keeper = null;
            closed = true;
        }
        if (ending == null) {
            return;
        }
        try {
            ending.getOutputStream().close();
        } catch (IOException error) {
            ending.destroyForcibly();
        }
        UninterruptedWait.awaitExit(ending, END_NS);
    }

    private synchronized boolean tell(String line, boolean start) {
        try {
            if (keeper == null && start && !closed && Programs.hasShell()) {
                keeper = startKeeper();
            }
            if (keeper == null) {
                return false;
            }
            OutputStream pipe = keeper.getOutputStream();
            pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
            return true;
        } catch (IOException error) {
            // Somebody ended it: what runs is still bounded by its own deadline, and the next one starts another.
            if (keeper != null) {
                keeper.destroyForcibly();
                keeper = null;
            }
            return false;
        }
    }

    private static Process startKeeper() throws IOException {
        List<String> shell = List.of(Programs.SHELL.toString(), "-c", KEEPER, "switchover-leash");
        return new ProcessBuilder(Programs.inSessionOfItsOwn(shell))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
