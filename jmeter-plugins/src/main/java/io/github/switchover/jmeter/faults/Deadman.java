package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.CommandResult;
import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;

/** The dead-man: a timer on the node, started before the kill, that heals an unreachable node. */
final class Deadman {

    private static final String RECIPE =
            "deadman = [\"ssh\", \"{master}\", \"systemd-run\", \"--unit=switchover-heal\", \"--on-active=60\", …the heal…]";

    /** Refuses a fault that is known to cut the connection to a real node, if the fault has no dead-man. */
    static void require(FaultRecipe recipe, FaultTraits traits) {
        if (!recipe.has(Step.DEADMAN) && traits.cutsTheWay()) {
            throw new FaultException(recipe.name()
                    + " can cut the path to the node, and then nothing on the node would heal the fault: add "
                    + RECIPE);
        }
    }

    /** Arms the dead-man, if the fault has one. Throws FaultException if the node did not start the timer. */
    static void arm(FaultRecipe recipe) {
        if (recipe.has(Step.DEADMAN)) {
            run(recipe, Step.DEADMAN, recipe.name() + " does not fire: its dead-man could not be armed: ");
        }
    }

    /** Disarms the dead-man, which could heal the fault of the next drill. Throws FaultException if that fails. */
    static void disarm(FaultRecipe recipe) {
        if (recipe.has(Step.DEADMAN) && recipe.has(Step.DISARM)) {
            String problem = " is not disarmed and will heal the node later: ";
            run(recipe, Step.DISARM, "the dead-man of " + recipe.name() + problem);
        }
    }

    private static void run(FaultRecipe recipe, Step step, String problem) {
        CommandResult result = CommandRunner.of(recipe, step).run();
        if (!result.isOk()) {
            throw new FaultException(problem + result.of(recipe, step));
        }
    }
}
