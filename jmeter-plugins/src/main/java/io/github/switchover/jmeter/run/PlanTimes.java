package io.github.switchover.jmeter.run;

/**
 * When what happened, in epoch microseconds of the run's clock; null: it did not.
 *
 * @param firedFromUs the kill command was started
 * @param firedToUs the kill command had returned; the fault happened between the two
 * @param confirmedUs its proof held; null after a fault was fired: it is not known to have happened
 * @param healedUs the heal was verified by state
 * @param endUs the last scheduled probe was due before this
 */
public record PlanTimes(
        Long startUs,
        Long firedFromUs,
        Long firedToUs,
        Long confirmedUs,
        Long healFromUs,
        Long healToUs,
        Long healedUs,
        Long endUs) {

    public static final PlanTimes NOTHING = new PlanTimes(null, null, null, null, null, null, null, null);

    public PlanTimes started(long atUs) {
        return new PlanTimes(atUs, firedFromUs, firedToUs, confirmedUs, healFromUs, healToUs, healedUs, endUs);
    }

    public PlanTimes fired(long fromUs, long toUs) {
        return new PlanTimes(startUs, fromUs, toUs, confirmedUs, healFromUs, healToUs, healedUs, endUs);
    }

    public PlanTimes confirmed(long atUs) {
        return new PlanTimes(startUs, firedFromUs, firedToUs, atUs, healFromUs, healToUs, healedUs, endUs);
    }

    public PlanTimes healing(long fromUs, long toUs) {
        return new PlanTimes(startUs, firedFromUs, firedToUs, confirmedUs, fromUs, toUs, healedUs, endUs);
    }

    public PlanTimes healed(long atUs) {
        return new PlanTimes(startUs, firedFromUs, firedToUs, confirmedUs, healFromUs, healToUs, atUs, endUs);
    }

    public PlanTimes ended(long atUs) {
        return new PlanTimes(startUs, firedFromUs, firedToUs, confirmedUs, healFromUs, healToUs, healedUs, atUs);
    }
}
