package io.github.switchover.jmeter.command;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Ends all commands with the JVM that started them, even if the JVM is killed with SIGKILL.
 *
 * <p>One small shell process reads the process groups from a pipe. When the pipe ends, because its owner closed it or
 * died, the shell kills the groups that are left. It lives as long as there is a group. Thread-safe.
 */
public final class ChildProcesses {

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

    public static final ChildProcesses OF_THIS_JVM = new ChildProcesses();

    private Process keeper;
    private int held;

    /** From now on it ends with this JVM. */
    public synchronized void hold(GroupedProcess process) {
        held++;
        try {
            if (keeper == null && Programs.hasShell()) {
                keeper = startKeeper();
            }
        } catch (IOException error) {
            return; // the command is still bounded by its deadline
        }
        tell("+" + process.group());
    }

    public synchronized void end(GroupedProcess process) {
        held--;
        if (!tell("-" + process.group())) {
            process.killGroup();
        }
        if (held == 0) {
            dismissKeeper();
        }
    }

    private boolean tell(String line) {
        if (keeper == null) {
            return false;
        }
        try {
            OutputStream pipe = keeper.getOutputStream();
            pipe.write((line + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
            return true;
        } catch (IOException error) {
            // Somebody ended it; the next group starts another one.
            dismissKeeper();
            return false;
        }
    }

    private void dismissKeeper() {
        if (keeper == null) {
            return;
        }
        try {
            keeper.getOutputStream().close();
        } catch (IOException error) {
            keeper.destroyForcibly();
        }
        keeper = null;
    }

    private static Process startKeeper() throws IOException {
        List<String> shell = List.of(Programs.SHELL.toString(), "-c", KEEPER, "switchover-leash");
        return new ProcessBuilder(Programs.inSessionOfItsOwn(shell))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
