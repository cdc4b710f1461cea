package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Tree;

/** When what happened in a run, in epoch microseconds of its clock; null: it did not. The {@code plan} of run.json. */
public record PlanTimes(Tree tree) {

    public static final PlanTimes NOTHING = new PlanTimes(Tree.EMPTY);

    public Long startUs() {
        return tree.whole("start_us");
    }

    /** When the kill command was started; the fault happened before it had returned. */
    public Long firedFromUs() {
        return tree.whole("fired_from_us");
    }

    /** When the fault's proof held. */
    public Long confirmedUs() {
        return tree.whole("confirmed_us");
    }

    public Long healFromUs() {
        return tree.whole("heal_from_us");
    }

    /** When the heal was verified by state. */
    public Long healedUs() {
        return tree.whole("healed_us");
    }

    public Long endUs() {
        return tree.whole("end_us");
    }

    /** When the heal was begun, if before the run's end; a heal at the end has no failback to see. */
    public Long healInTimeUs() {
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
}
