package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.StagedFault;
import io.github.switchover.jmeter.judge.OutageMeter;
import io.github.switchover.jmeter.run.CutPhase;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.target.FaultRecipe;
import java.util.List;

/**
 * The outage that the target file predicts for a fault, and whether it was waited for; what theory predicts, {@code
 * switchover report} knows.
 */
final class PredictedOutage {

    /** On top of the longest predicted outage: the probe's own time-out and a scrape. */
    private static final double MARGIN_S = 1;

    private PredictedOutage() {}

    static FaultRun of(StagedFault staged) {
        FaultRun fault = staged.description();
        FaultRecipe.PredictedWindow window = staged.recipe().predictS();
        if (window == null) {
            return fault;
        }
        return fault.withPrediction(new FaultRun.FaultPrediction(
                Numbers.round(window.low() * Units.MS_PER_S, 3),
                Numbers.round(window.high() * Units.MS_PER_S, 3),
                "as the target file says",
                false,
                null,
                null,
                null));
    }

    /** The phase that turned out shorter than what the prediction and the stability window need; {@code endUs}: of the run. */
    static List<CutPhase> cutShort(PlanTimes plan, FaultRecipe.PredictedWindow window, long endUs) {
        if (plan.firedFromUs() == null || window == null) {
            return List.of();
        }
        Long healUs = plan.healFromUs();
        long heldUs = (healUs == null || healUs >= endUs ? endUs : healUs) - plan.firedFromUs();
        double neededS =
                Numbers.round(window.high() + Units.secondsOfUs(OutageMeter.STABILITY_WINDOW_US) + MARGIN_S, 1);
        return heldUs >= neededS * Units.US_PER_S
                ? List.of()
                : List.of(new CutPhase(CutPhase.HOLD, Units.secondsOfUs(heldUs), neededS, false));
    }
}
