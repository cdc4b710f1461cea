package io.github.switchover.jmeter.core;

import java.io.Serializable;

/** Another process's wall clock is ahead of the run's clock by {@code offsetUs}, give or take {@code boundUs}. */
public record ClockReading(long offsetUs, long boundUs) implements Serializable {

    /**
     * What one answer tells. The run's clock was read between the other's sending and its receiving, so the other is ahead
     * by something between (sent - the answer) and (received - the answer): the middle, give or take half the round trip.
     *
     * @param sentNs by the wall clock of the one that asks, like {@code receivedNs}
     * @param runNs the answer
     */
    public static ClockReading of(long sentNs, long runNs, long receivedNs) {
        long lowUs = Units.usOfNs(sentNs - runNs);
        long highUs = -Units.usOfNs(runNs - receivedNs);
        long offsetUs = lowUs + (highUs - lowUs) / 2;
        return new ClockReading(offsetUs, highUs - offsetUs);
    }

    /** Of two, the one that is known better. */
    public ClockReading orNarrower(ClockReading other) {
        return other.boundUs < boundUs ? other : this;
    }
}
