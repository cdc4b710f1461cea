package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.faults.StagedFault;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.target.FaultRecipe;
import java.util.List;

/**
 * The outage that the target file predicts for a fault, and whether it was waited for; what theory predicts, {@code
 * switchover report} knows.
 */
final class PredictedOutage {

    /** Recovery counts only after this long without impairment (RFC 6412 section 3.7.6 asks for at least 5 s). */
    private static final double CLEAN_WINDOW_S = 5;

    /** On top of the longest predicted outage: the probe's own time-out and a scrape. */
    private static final double MARGIN_S = 1;

    private static final double MS = 1000;
    private static final double US_PER_S = 1e6;

    private PredictedOutage() {}

    static FaultRun of(StagedFault staged) {
        FaultRun fault = staged.description();
        FaultRecipe.PredictedWindow window = staged.recipe().predictS();
        if (window == null) {
            return fault;
        }
        return fault.withPrediction(new FaultRun.FaultPrediction(
                Numbers.round(window.low() * MS, 3),
                Numbers.round(window.high() * MS, 3),
                "as the target file says",
                false,
                null,
                null,
                null));
    }

    /** The phase that turned out shorter than what the prediction and the clean window need; {@code endUs}: of the run. */
    static List<String> cutShort(PlanTimes plan, FaultRecipe.PredictedWindow window, long endUs) {
        if (plan.firedFromUs() == null || window == null) {
            return List.of();
        }
        Long healUs = plan.healFromUs();
        long heldUs = (healUs == null || healUs >= endUs ? endUs : healUs) - plan.firedFromUs();
        double neededS = Numbers.round(window.high() + CLEAN_WINDOW_S + MARGIN_S, 1);
        return heldUs >= neededS * US_PER_S
                ? List.of()
                : List.of("hold " + Numbers.fixed(heldUs / US_PER_S, 1) + " s is shorter than the "
                        + Numbers.general(neededS) + " s that a clean window needs");
    }
}
