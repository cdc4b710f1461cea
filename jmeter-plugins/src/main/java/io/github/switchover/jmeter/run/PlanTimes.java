package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Tree;
import org.jspecify.annotations.Nullable;

/** The {@code plan} of run.json: the times of the events of a run, in epoch µs; null: the event did not happen. */
public record PlanTimes(Tree tree) {

    public static final PlanTimes NOTHING = new PlanTimes(Tree.EMPTY);

    public @Nullable Long startUs() {
        return tree.whole("start_us");
    }

    /** The start of the kill command. The fault happened between this time and the end of the command. */
    public @Nullable Long firedFromUs() {
        return tree.whole("fired_from_us");
    }

    public @Nullable Long confirmedUs() {
        return tree.whole("confirmed_us");
    }

    public @Nullable Long healFromUs() {
        return tree.whole("heal_from_us");
    }

    public @Nullable Long healedUs() {
        return tree.whole("healed_us");
    }

    public @Nullable Long endUs() {
        return tree.whole("end_us");
    }

    /** The start of the heal; null if the heal was at the end of the run, so that no failback is measured. */
    public @Nullable Long healInTimeUs() {
        boolean isTooLate = healFromUs() != null && endUs() != null && healFromUs() >= endUs();
        return isTooLate ? null : healFromUs();
    }

    public PlanTimes started(long atUs) {
        return new PlanTimes(tree.with("start_us", atUs));
    }

    public PlanTimes fired(long fromUs, long toUs) {
        return new PlanTimes(tree.with("fired_from_us", fromUs).with("fired_to_us", toUs));
    }

    public PlanTimes confirmed(long atUs) {
        return new PlanTimes(tree.with("confirmed_us", atUs));
    }

    public PlanTimes healing(long fromUs, long toUs) {
        return new PlanTimes(tree.with("heal_from_us", fromUs).with("heal_to_us", toUs));
    }

    public PlanTimes healed(long atUs) {
        return new PlanTimes(tree.with("healed_us", atUs));
    }

    public PlanTimes ended(long atUs) {
        return new PlanTimes(tree.with("end_us", atUs));
    }

    /** A phase shorter than the predicted outage and the stability window. {@code chosen}: an option set its length. */
    public record CutPhase(String phase, double lastedS, double neededS, boolean chosen) {

        /** The phase from the fault to the heal. */
        public static final String HOLD = "hold";

        /** The phase from the heal to the end. */
        public static final String RECOVER = "recover";
    }
}
