package io.github.switchover.jmeter.command;

import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.Reason;
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

/**
 * The only command runner: an argument list, run to its end, bounded in time and in output, never through a shell. It
 * is set up by name and run once: {@code CommandRunner.of(command).timeoutS(2).run()}.
 *
 * <p>Each command leads a separate process group, so that Ctrl-C at the terminal does not end a kill or a heal
 * half-way. All processes that it started can be ended with it. Processes that it leaves in the background are not
 * waited for.
 */
public final class CommandRunner {

    /** The seconds that a command of a fault may take, ssh's connection included. */
    public static final double COMMAND_TIMEOUT_S = 15.0;

    /** The ns between two looks at a running command: the firing time is an interval, and this widens it. */
    private static final long POLL_NS = 5_000_000;

    private static final int CHUNK = 65536;

    /** Reads after the command's end: more than a pipe holds, and a bound if its child writes without end. */
    private static final int LAST_READS = 32;

    /** Becomes the command once a line has come; at the end of its input, as when this JVM is killed, it ends. */
    private static final String GATE = "read -r go && exec \"$@\" </dev/null";

    private final List<String> command;
    private final List<String> variables;
    private double timeoutS = COMMAND_TIMEOUT_S;
    private byte[] request = {};
    private OutputStream sink;
    private long limitBytes = Long.MAX_VALUE;
    private BooleanSupplier stopEarly = () -> false;
    private Runnable standBy = () -> {};

    private CommandRunner(List<String> command, List<String> variables) {
        this.command = command;
        this.variables = variables;
    }

    /** {@code variables}: names of the environment variables that it gets in addition to the usual ones. */
    public static CommandRunner of(List<String> command, List<String> variables) {
        return new CommandRunner(command, variables);
    }

    public static CommandRunner of(FaultRecipe recipe, FaultRecipe.Step step) {
        return new CommandRunner(recipe.command(step), recipe.variables());
    }

    /** Runs a command for its output. It ends with the thread that runs it. */
    public static CommandRunner of(Source.Command source) {
        return new CommandRunner(source.arguments(), source.variables())
                .stopEarly(() -> Thread.currentThread().isInterrupted());
    }

    public CommandRunner timeoutS(double seconds) {
        timeoutS = seconds;
        return this;
    }

    /** Goes to its input; null: nothing. */
    public CommandRunner request(byte[] bytes) {
        request = bytes == null ? new byte[0] : bytes;
        return this;
    }

    /** Takes each piece of its output, up to that many bytes; a command that prints more is ended. */
    public CommandRunner output(OutputStream taker, long atMostBytes) {
        sink = taker;
        limitBytes = atMostBytes;
        return this;
    }

    /** Asked while it runs; true ends it. */
    public CommandRunner stopEarly(BooleanSupplier isOver) {
        stopEarly = isOver;
        return this;
    }

    /** Called again and again while it runs. */
    public CommandRunner whileRunning(Runnable work) {
        standBy = work;
        return this;
    }

    /**
     * Runs it to its end, or until its time, its output or its caller's patience is over; then its group is killed.
     */
    public CommandResult run() {
        try {
            GroupedProcess started = GroupedProcess.start(command, variables);
            give(started.process());
            return finish(started);
        } catch (IOException error) {
            return notStarted(error);
        }
    }

    /**
     * Returns the output.
     *
     * @throws SourceException unless it succeeds
     */
    public byte[] fetch(int atMostBytes) {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        output(answer, atMostBytes).run().check();
        return answer.toByteArray();
    }

    /**
     * Runs a command that does not begin before {@code prepare}, called with its process group, has returned. If this
     * JVM dies before that, it never begins.
     */
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

    /** The problem of a command whose program is missing or cannot be run; null for any other command. */
    public CommandResult findProgramProblem() {
        String reason = command.isEmpty() ? "no program is named" : Programs.whyNot(command.get(0));
        return reason == null ? null : notStarted(new IOException(reason));
    }

    /**
     * Starts a process in a separate group, for lines without end; an error at the start is one line.
     *
     * <p>On the far side of ssh it gets a terminal: the node ends the command when the connection ends. Without a
     * terminal such a command runs on until it next prints.
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
            problem = problem + ", and it cannot be ended: it may still run";
        }
        boolean isHalfAnAnswer = problem != null && sink != null;
        String printed = isHalfAnAnswer ? "" : output.lastLine();
        String last = errors.lastLine().isEmpty() ? printed : errors.lastLine();
        return new CommandResult(
                PublicText.command(command), problem == null ? (Integer) process.exitValue() : null, last, problem);
    }

    /** Null when it has ended, else why it is not waited for any longer. */
    private String follow(Process process, OutputTail output, OutputTail errors) {
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
            hand(piece);
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
            if (deadline.hasPassed()) {
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

    private void hand(byte[] piece) {
        if (sink == null) {
            return;
        }
        try {
            sink.write(piece, 0, piece.length);
        } catch (IOException error) {
            throw new SourceException("what was read cannot be kept: " + Reason.of(error), error);
        }
    }

    private void give(Process process) {
        try (OutputStream input = process.getOutputStream()) {
            input.write(request);
        } catch (IOException error) {
            // It ended without reading; its exit status and stderr are more useful than the broken pipe.
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

    /** The end of a command's output, of which a message quotes the last line. Thread-safe. */
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

        /** The last line, in printable characters; empty if there is none. */
        synchronized String lastLine() {
            String[] lines = new String(kept, StandardCharsets.UTF_8).strip().split("\\R", -1);
            StringBuilder shown = new StringBuilder();
            lines[lines.length - 1]
                    .codePoints()
                    .forEach(c -> shown.appendCodePoint(ReadableText.isPrintable(c) ? c : ' '));
            String text = shown.toString().strip();
            return text.length() <= SHOWN_CHARACTERS ? text : text.substring(text.length() - SHOWN_CHARACTERS);
        }
    }
}
