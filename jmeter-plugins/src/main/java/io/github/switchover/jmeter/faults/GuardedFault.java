package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.Target.NodeClaim;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A fault of one run, and the locks that keep other runs away from its nodes. */
record GuardedFault(
        FaultRecipe recipe,
        String master,
        @Nullable NodeClaim claim,
        @Nullable TargetLock lock) {

    /** {@code names}: the values of {@code {master}} and {@code {backup}}; empty: unknown. {@code run}: its id. */
    static GuardedFault of(FaultRecipe recipe, Map<String, String> names, Target target, String run) {
        return new GuardedFault(
                recipe.filledIn(names),
                names.getOrDefault("master", ""),
                filledIn(target.claim(), names),
                TargetLock.of(target, run));
    }

    private static @Nullable NodeClaim filledIn(@Nullable NodeClaim claim, Map<String, String> names) {
        return claim == null
                ? null
                : new NodeClaim(
                        FaultRecipe.filledIn(claim.claim(), names),
                        FaultRecipe.filledIn(claim.release(), names),
                        claim.variables());
    }

    /** Refuses the fault if a command needs the name of an unknown node. */
    void requireNames() {
        for (String name : List.of("master", "backup")) {
            if (recipe.mentions("{" + name + "}")) {
                throw new FaultException(recipe.name() + " does not fire: a command contains {" + name + "}, but the "
                        + name + " is not known");
            }
        }
    }
}
