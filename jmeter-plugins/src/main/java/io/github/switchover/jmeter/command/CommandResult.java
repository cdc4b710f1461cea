package io.github.switchover.jmeter.command;

import io.github.switchover.jmeter.target.FaultRecipe;
import org.jspecify.annotations.Nullable;

/**
 * The result of a command for messages: the program without arguments, and the last line of its output.
 *
 * <p>{@code status} null: the command did not start, or Switchover ended it; {@code problem} contains the reason.
 */
public record CommandResult(
        String program,
        @Nullable Integer status,
        String output,
        @Nullable String problem) {

    private static final String CANNOT_RUN = "cannot run";

    /** The exit status of ssh(1) for errors of ssh itself. A remote command seldom has this status. */
    private static final int SSH_FAILED = 255;

    public static CommandResult notStarted(String program, String reason) {
        return new CommandResult(program, null, "", CANNOT_RUN + ": " + reason);
    }

    public boolean isNotStarted() {
        return problem != null && problem.startsWith(CANNOT_RUN);
    }

    public boolean isOk() {
        return status != null && status == 0;
    }

    /** True if the command ended by itself and, with ssh, ran: ssh exits with 255 if it cannot connect. */
    public boolean hasAnswered() {
        String name = program.split(" ", 2)[0];
        boolean isSsh = name.substring(name.lastIndexOf('/') + 1).equals("ssh");
        return status != null && !(isSsh && status == SSH_FAILED);
    }

    public String of(FaultRecipe recipe, FaultRecipe.Step step) {
        return recipe.table() + " " + step.label() + ": " + this;
    }

    @Override
    public String toString() {
        String ending = problem == null ? "exit status " + status : problem;
        return "`" + program + "`: " + ending + (output.isEmpty() ? "" : " (" + output + ")");
    }
}
