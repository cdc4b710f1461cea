package io.github.switchover.jmeter.command;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.Source;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs every command of this jar once: an argument list without a shell, with limits of time and output.
 *
 * <p>Each command has a separate process group, so Ctrl-C does not interrupt a kill or a heal, and the whole group is
 * ended with the command. Processes in the background are not awaited.
 */
public final class CommandRunner {

    /** The time limit of a fault's command in seconds, including the ssh connection. */
    public static final double COMMAND_TIMEOUT_S = 15.0;

    /** The interval of the checks of a running command, which is an uncertainty of the fault's time. */
    private static final long POLL_NS = 5_000_000;

    private static final int CHUNK = 65536;

    /** The most reads after the end of a command, enough to empty a pipe into which a child may still write. */
    private static final int LAST_READS = 32;

    /** A script that waits for a line, then becomes the command. If this JVM dies before the line, the script exits. */
    private static final String GATE = "read -r go && exec \"$@\" </dev/null";

    private final List<String> command;
    private final List<String> variables;
    private double timeoutS = COMMAND_TIMEOUT_S;
    private byte[] request = {};

    /** The whole output, if the caller needs it. */
    private @Nullable ByteArrayOutputStream answer;

    private long limitBytes = Long.MAX_VALUE;
    private BooleanSupplier stopEarly = () -> false;
    private Runnable standBy = () -> {};

    private CommandRunner(List<String> command, List<String> variables) {
        this.command = command;
        this.variables = variables;
    }

    /** {@code variables}: names of environment variables that the command gets in addition to the default variables. */
    public static CommandRunner of(List<String> command, List<String> variables) {
        return new CommandRunner(command, variables);
    }

    public static CommandRunner of(FaultRecipe recipe, FaultRecipe.Step step) {
        return new CommandRunner(requireNonNull(recipe.command(step)), recipe.variables());
    }

    /** Runs a command for its output. An interrupt of the calling thread ends the command. */
    public static CommandRunner of(Source.Command source) {
        return new CommandRunner(source.arguments(), source.variables())
                .stopEarly(() -> Thread.currentThread().isInterrupted());
    }

    public CommandRunner timeoutS(double seconds) {
        timeoutS = seconds;
        return this;
    }

    /** Sets the bytes that are sent to the command's standard input. */
    public CommandRunner request(byte @Nullable [] bytes) {
        request = bytes == null ? new byte[0] : bytes;
        return this;
    }

    /** Sets a condition that is checked while the command runs; true ends the command. */
    public CommandRunner stopEarly(BooleanSupplier isOver) {
        stopEarly = isOver;
        return this;
    }

    /** Sets a task that is called repeatedly while the command runs. */
    public CommandRunner whileRunning(Runnable work) {
        standBy = work;
        return this;
    }

    /** Runs the command until its end or a limit, or {@link #stopEarly}; then the process group is killed. */
    public CommandResult run() {
        try {
            GroupedProcess started = GroupedProcess.start(command, variables);
            give(started.process());
            return finish(started);
        } catch (IOException error) {
            return notStarted(error);
        }
    }

    /** Returns the output of at most {@code atMostBytes}. Throws SourceException if the command does not succeed. */
    public byte[] fetch(int atMostBytes) {
        ByteArrayOutputStream whole = new ByteArrayOutputStream();
        answer = whole;
        limitBytes = atMostBytes;
        CommandResult result = run();
        if (!result.isOk()) {
            throw new SourceException(result.toString());
        }
        return whole.toByteArray();
    }

    /** Runs the command after {@code prepare}, which gets its process group; never, if this JVM dies before. */
    public CommandResult runPrepared(LongConsumer prepare) {
        CommandResult problem = findProgramProblem();
        if (problem != null) {
            return problem;
        }
        List<String> gated = new ArrayList<>(List.of(Programs.SHELL.toString(), "-c", GATE, "sh"));
        gated.addAll(command);
        GroupedProcess started;
        try {
            started = GroupedProcess.start(gated, variables);
        } catch (IOException error) {
            return notStarted(error);
        }
        prepare.accept(started.group());
        request = new byte[] {'\n'};
        give(started.process());
        return finish(started);
    }

    /** A result with the problem, if the program is missing or cannot be run. */
    public @Nullable CommandResult findProgramProblem() {
        String reason = Programs.whyNot(command);
        return reason == null ? null : notStarted(new IOException(reason));
    }

    /**
     * Starts a command that prints until it is ended.
     *
     * <p>An ssh command gets a remote terminal, so that the node ends the remote command when the connection ends.
     *
     * @throws SourceException with a one-line message if the process cannot be started
     */
    static GroupedProcess start(Source.Command source) {
        List<String> arguments = new ArrayList<>(source.arguments());
        if (!arguments.isEmpty() && arguments.get(0).matches("(.*/)?ssh")) {
            arguments.add(1, "-tt");
        }
        try {
            return GroupedProcess.start(arguments, source.variables());
        } catch (IOException error) {
            throw new SourceException(
                    new CommandRunner(source.arguments(), List.of())
                            .notStarted(error)
                            .toString(),
                    error);
        }
    }

    private CommandResult notStarted(IOException error) {
        String reason = String.valueOf(error.getMessage());
        boolean isMissing = reason.startsWith("No such file")
                && !command.isEmpty()
                && command.get(0).indexOf('/') < 0;
        return CommandResult.notStarted(
                PublicText.command(command), isMissing ? "no such program is installed here" : reason);
    }

    private CommandResult finish(GroupedProcess started) {
        Process process = started.process();
        OutputTail output = new OutputTail();
        OutputTail errors = new OutputTail();
        String problem;
        try {
            problem = follow(process, output, errors);
        } finally {
            end(started);
        }
        if (problem != null && !started.isGone()) {
            problem = problem + ", and the process cannot be killed: it may still run";
        }
        boolean isHalfAnAnswer = problem != null && answer != null;
        String printed = isHalfAnAnswer ? "" : output.lastLine();
        String last = errors.lastLine().isEmpty() ? printed : errors.lastLine();
        return new CommandResult(
                PublicText.command(command), problem == null ? process.exitValue() : null, last, problem);
    }

    /** Waits for the end of the command. Returns the reason to end it; null if the command ended by itself. */
    private @Nullable String follow(Process process, OutputTail output, OutputTail errors) {
        Deadline deadline = new Deadline(timeoutS);
        boolean ended = false;
        long printed = 0;
        int lastReads = 0;
        while (true) {
            byte[] piece = take(process.getInputStream());
            printed += piece.length;
            if (printed > limitBytes) {
                return "printed more than " + Numbers.grouped(limitBytes) + " bytes";
            }
            output.add(piece, piece.length);
            if (answer != null) {
                answer.writeBytes(piece);
            }
            byte[] complaint = take(process.getErrorStream());
            errors.add(complaint, complaint.length);
            boolean some = piece.length + complaint.length > 0;
            if (ended) {
                lastReads++;
                if (!some || lastReads > LAST_READS) {
                    return null;
                }
                continue;
            }
            if (deadline.leftNs() <= 0) {
                return "no end within " + Numbers.general(deadline.seconds()) + " s";
            }
            standBy.run();
            if (stopEarly.getAsBoolean()) {
                return "stopped early";
            }
            ended = UninterruptedWait.awaitExit(process, some ? 0 : POLL_NS);
        }
    }

    private static byte[] take(InputStream output) {
        try {
            return output.readNBytes(Math.max(0, Math.min(output.available(), CHUNK)));
        } catch (IOException error) {
            return new byte[0];
        }
    }

    private void give(Process process) {
        try (OutputStream input = process.getOutputStream()) {
            input.write(request);
        } catch (IOException error) {
            // The command ended without reading its input. Its exit status and stderr are more useful than the broken
            // pipe.
            return;
        }
    }

    private void end(GroupedProcess started) {
        if (started.process().isAlive()) {
            started.killGroup();
        }
        GroupedProcess.close(started.process().getInputStream());
        GroupedProcess.close(started.process().getErrorStream());
    }

    /** The end of a command's output. Messages quote the last line. Thread-safe. */
    static final class OutputTail {

        private static final int KEPT_BYTES = 4096;
        private static final int SHOWN_CHARACTERS = 300;

        private byte[] kept = new byte[0];

        synchronized void clear() {
            kept = new byte[0];
        }

        synchronized void add(byte[] piece, int length) {
            byte[] all = Arrays.copyOf(kept, kept.length + length);
            System.arraycopy(piece, 0, all, kept.length, length);
            kept = all.length <= KEPT_BYTES ? all : Arrays.copyOfRange(all, all.length - KEPT_BYTES, all.length);
        }

        /** The last line, with printable characters only; empty: there is no line. */
        synchronized String lastLine() {
            String[] lines = new String(kept, StandardCharsets.UTF_8).strip().split("\\R", -1);
            String text = ReadableText.printable(lines[lines.length - 1], ' ').strip();
            return text.length() <= SHOWN_CHARACTERS ? text : text.substring(text.length() - SHOWN_CHARACTERS);
        }
    }
}
