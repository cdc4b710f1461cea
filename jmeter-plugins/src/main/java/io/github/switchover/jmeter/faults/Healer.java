package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.CommandResult;
import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Carries out the heal of a fault and proves it, more than once if it must; what it cannot do is left to the watchdog. */
record Healer(FaultRecipe recipe, RunClock clock, Proof proof) {

    private static final int TRIES = 2;

    /** {@code undo}: the watchdog, which is told of a success; null: there is none any more. */
    Healing heal(UndoList undo) {
        long fromUs = clock.nowUs();
        long toUs = fromUs;
        List<String> answers = List.of();
        Runnable standBy = undo == null ? () -> {} : undo::healing;
        standBy.run();
        for (int tries = 0; tries < TRIES; tries++) {
            CommandResult healed = recipe.has(Step.HEAL)
                    ? CommandRunner.of(recipe.command(Step.HEAL), recipe.variables())
                            .whileRunning(standBy)
                            .run()
                    : null;
            toUs = clock.nowUs();
            CommandResult proved = recipe.has(Step.VERIFY_HEALED) ? proof.confirmHealed(recipe, standBy) : healed;
            if (proved == null || proved.isOk()) {
                if (undo != null) {
                    undo.healed();
                }
                return new Healing(fromUs, toUs, clock.nowUs(), null);
            }
            answers = answers(healed, proved);
        }
        return new Healing(fromUs, toUs, null, notHealed(answers, undo));
    }

    private List<String> answers(CommandResult healed, CommandResult proved) {
        List<String> answers = new ArrayList<>();
        if (healed != null && !healed.isOk()) {
            answers.add(healed.of(recipe, Step.HEAL));
        }
        answers.add(proved.of(recipe, recipe.has(Step.VERIFY_HEALED) ? Step.VERIFY_HEALED : Step.HEAL));
        return answers;
    }

    private String notHealed(List<String> answers, UndoList undo) {
        String watchdog = undo == null
                ? ""
                : "the watchdog goes on for " + UndoList.KEEP_TRYING_S + " s (see " + undo.log() + "); ";
        return recipe.name() + " IS NOT HEALED: "
                + answers.stream().distinct().collect(Collectors.joining("; ")) + "; " + watchdog
                + "heal it by hand, as [fault." + recipe.name() + "] of the target file says";
    }
}
