package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.NodeClaim;
import java.util.List;

/**
 * What is to be run if this JVM cannot: filled in, ready to be started; null is what there is not.
 *
 * @param verify the proof of the heal
 * @param release gives the nodes back
 * @param disarm takes the dead-man back once the heal is proved
 * @param variables of the environment that the commands get beside the usual ones
 * @param down the proof of the fault, where something that its kill has left running may bring it back
 */
record Undo(
        String name,
        List<String> heal,
        List<String> verify,
        List<String> release,
        List<String> disarm,
        List<String> variables,
        List<String> down) {

    /** {@code recipe} is filled in; {@code claim} may be null. */
    static Undo of(FaultRecipe recipe, NodeClaim claim) {
        boolean comesBack =
                recipe.has(Step.HEAL) && !FaultTraits.of(recipe.name()).healsItself();
        return new Undo(
                recipe.name(),
                recipe.command(Step.HEAL),
                recipe.command(Step.VERIFY_HEALED),
                claim == null ? null : claim.release(),
                recipe.command(Step.DISARM),
                recipe.variables(),
                comesBack ? recipe.command(Step.VERIFY_DOWN) : null);
    }
}
