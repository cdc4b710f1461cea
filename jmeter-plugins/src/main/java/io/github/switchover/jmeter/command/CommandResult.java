package io.github.switchover.jmeter.command;

import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.target.FaultRecipe;

/**
 * The end of a command. Its text is fit for a message: it names the program without its arguments, which may hold a
 * token, and the result.
 *
 * @param status null: it did not start, or was ended at its time-out; {@code problem} says which
 * @param output the last line that is not blank
 * @param problem null if it ended by itself
 */
public record CommandResult(String program, Integer status, String output, String problem) {

    private static final String CANNOT_RUN = "cannot run";

    /** Exit status of ssh(1): an error occurred. A remote command seldom ends with it. */
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

    /**
     * True if it ran to its end, and its result comes from the remote command: ssh itself exits with 255 if it cannot
     * connect.
     */
    public boolean hasAnswered() {
        String name = program.split(" ", 2)[0];
        boolean isSsh = name.substring(name.lastIndexOf('/') + 1).equals("ssh");
        return status != null && !(isSsh && status == SSH_FAILED);
    }

    public String of(FaultRecipe recipe, FaultRecipe.Step step) {
        return recipe.table() + " " + step.key() + ": " + this;
    }

    /**
     * Refuses a command that did not succeed.
     *
     * @throws SourceException in one line
     */
    public void check() {
        if (!isOk()) {
            throw new SourceException(toString());
        }
    }

    @Override
    public String toString() {
        String ending = problem == null ? "exit status " + status : problem;
        return "`" + program + "`: " + ending + (output.isEmpty() ? "" : " (" + output + ")");
    }
}
