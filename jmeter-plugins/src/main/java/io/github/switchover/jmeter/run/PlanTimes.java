package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;

/**
 * When what happened, in epoch microseconds of the run's clock; null: it did not.
 *
 * @param endUs the last scheduled probe was due before this
 */
public record PlanTimes(
        Long startUs, @Inline FaultTimes fault, @Inline HealTimes heal, Long endUs) {

    /**
     * Of the fault.
     *
     * @param firedFromUs the kill command was started
     * @param firedToUs the kill command had returned; the fault happened between the two
     * @param confirmedUs its proof held; null after a fault was fired: it is not known to have happened
     */
    public record FaultTimes(Long firedFromUs, Long firedToUs, Long confirmedUs) {
        static final FaultTimes NONE = new FaultTimes(null, null, null);
    }

    /**
     * Of the heal.
     *
     * @param healedUs it was verified by state
     */
    public record HealTimes(Long healFromUs, Long healToUs, Long healedUs) {
        static final HealTimes NONE = new HealTimes(null, null, null);
    }

    public static final PlanTimes NOTHING = new PlanTimes(null, FaultTimes.NONE, HealTimes.NONE, null);

    public Long firedFromUs() {
        return fault.firedFromUs;
    }

    public Long firedToUs() {
        return fault.firedToUs;
    }

    public Long confirmedUs() {
        return fault.confirmedUs;
    }

    public Long healFromUs() {
        return heal.healFromUs;
    }

    public Long healToUs() {
        return heal.healToUs;
    }

    public Long healedUs() {
        return heal.healedUs;
    }

    /** When the heal was begun, if before the run's end, else null; what is healed at the end has no failback to see. */
    public Long healInTimeUs() {
        boolean isTooLate = healFromUs() != null && endUs != null && healFromUs() >= endUs;
        return isTooLate ? null : healFromUs();
    }

    public PlanTimes started(long atUs) {
        return new PlanTimes(atUs, fault, heal, endUs);
    }

    public PlanTimes fired(long fromUs, long toUs) {
        return new PlanTimes(startUs, new FaultTimes(fromUs, toUs, fault.confirmedUs), heal, endUs);
    }

    public PlanTimes confirmed(long atUs) {
        return new PlanTimes(startUs, new FaultTimes(fault.firedFromUs, fault.firedToUs, atUs), heal, endUs);
    }

    public PlanTimes healing(long fromUs, long toUs) {
        return new PlanTimes(startUs, fault, new HealTimes(fromUs, toUs, heal.healedUs), endUs);
    }

    public PlanTimes healed(long atUs) {
        return new PlanTimes(startUs, fault, new HealTimes(heal.healFromUs, heal.healToUs, atUs), endUs);
    }

    public PlanTimes ended(long atUs) {
        return new PlanTimes(startUs, fault, heal, atUs);
    }
}
