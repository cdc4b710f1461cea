package io.github.switchover.jmeter.command;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.PublicText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/** Runs the commands of faults: bounded in time and in what is kept of their output, never through a shell. */
public final class Execution {

    /** How long a command of a fault may take, ssh's connection included. */
    public static final double COMMAND_TIMEOUT_S = 15.0;

    /** How often a running command is looked at: the firing time is an interval, and this widens it. */
    private static final long POLL_NS = 5_000_000;

    private static final double NS_PER_S = 1e9;

    /** Becomes the command once a line has come; at the end of its input it ends. */
    private static final String GATE = "read -r go && exec \"$@\" </dev/null";

    private Execution() {}

    public static CommandResult run(List<String> command) {
        return run(command, COMMAND_TIMEOUT_S, () -> false);
    }

    /**
     * Runs a command to its end, or until its time is over or it is given up; then its process group is killed.
     *
     * <p>It has a process group of its own, so that Ctrl-C at the terminal does not end a kill or a heal half-way. What
     * it leaves running in the background with its output open is not waited for.
     */
    public static CommandResult run(List<String> command, double timeoutS, BooleanSupplier givenUp) {
        String program = PublicText.command(command);
        try {
            GroupedProcess started = GroupedProcess.start(command, true);
            started.closeInput();
            return outcome(program, started, timeoutS, givenUp);
        } catch (IOException error) {
            return CommandResult.notStarted(program, error.getMessage());
        }
    }

    /**
     * Runs a command that does not begin before {@code prepare}, told its process group, has come back; if this JVM dies
     * until then, it never begins.
     */
    public static CommandResult runPrepared(List<String> command, LongConsumer prepare) {
        String program = PublicText.command(command);
        String reason = command.isEmpty() ? "no program is named" : Programs.whyNot(command.get(0));
        if (reason != null) {
            return CommandResult.notStarted(program, reason);
        }
        List<String> gated = new ArrayList<>(List.of(Programs.SHELL.toString(), "-c", GATE, "sh"));
        gated.addAll(command);
        GroupedProcess started;
        try {
            started = GroupedProcess.start(gated, true);
        } catch (IOException error) {
            return CommandResult.notStarted(program, error.getMessage());
        }
        prepare.accept(started.group());
        try {
            started.process().getOutputStream().write('\n');
        } catch (IOException error) {
            // Then somebody has ended it, as its status will tell.
        }
        started.closeInput();
        return outcome(program, started, COMMAND_TIMEOUT_S, () -> false);
    }

    private static CommandResult outcome(
            String program, GroupedProcess started, double timeoutS, BooleanSupplier givenUp) {
        Process process = started.process();
        OutputTail tail = new OutputTail();
        String problem = follow(process, tail, timeoutS, givenUp);
        if (process.isAlive() && !started.end()) {
            problem = problem + ", and it cannot be ended: it may still run";
        }
        tail.readAvailable(process.getInputStream());
        closeOutput(process);
        return new CommandResult(
                program, problem == null ? (Integer) process.exitValue() : null, tail.lastLine(), problem);
    }

    /** Null when it has ended, else why it is not waited for any longer. */
    private static String follow(Process process, OutputTail tail, double timeoutS, BooleanSupplier givenUp) {
        long deadlineNs = System.nanoTime() + Math.round(timeoutS * NS_PER_S);
        while (!UninterruptedWait.awaitExit(process, POLL_NS)) {
            tail.readAvailable(process.getInputStream());
            if (System.nanoTime() > deadlineNs) {
                return "no end within " + Numbers.general(timeoutS) + " s";
            }
            if (givenUp.getAsBoolean()) {
                return "given up";
            }
        }
        return null;
    }

    private static void closeOutput(Process process) {
        try {
            process.getInputStream().close();
        } catch (IOException error) {
            return; // it has been read
        }
    }
}
