package io.github.switchover.jmeter.run;

import java.util.List;

/**
 * How long the service was away.
 *
 * @param outage null without a metronome
 * @param failback null where nothing was healed in time to be seen
 * @param effect null: no fault was fired
 * @param wholeness null: nothing was healed, or too late to look at the pair afterwards
 * @param prediction null where only {@code switchover report} can tell, like {@code anatomy}
 */
public record ServiceFigures(
        OutageFigures outage,
        OutageFigures failback,
        Prediction prediction,
        WitnessCheck.Effect effect,
        WitnessCheck.Wholeness wholeness,
        List<AnatomyStep> anatomy) {

    /** What theory predicts for the outage; {@code inside} null: it cannot be compared. */
    public record Prediction(String fault, Double lowMs, Double highMs, Boolean inside) {}

    /** A step of the switchover, and its witness. */
    public record AnatomyStep(
            String step, Long atUs, Double boundMs, Double afterKillMs, String witness, boolean orderUndecided) {
        public AnatomyStep {
            step = step == null ? "" : step;
            witness = witness == null ? "" : witness;
        }
    }
}
