package io.github.switchover.jmeter.metronome;

import io.github.switchover.jmeter.core.FailureKind;

/**
 * The state of one stream a moment ago: {@code sent == good + late + failed + open}, and those that the client could not send.
 *
 * @param late answered as expected, but after the threshold; not counted in {@code good}
 * @param lagP99Ms send lag of the last second; null if nothing was sent in it
 * @param lastGoodUs null before the first
 * @param lastError null if there was none
 */
public record MetronomeProgress(
        long sent,
        long good,
        long failed,
        long late,
        long open,
        Double lagP99Ms,
        Long lastGoodUs,
        FailureKind lastError) {}
