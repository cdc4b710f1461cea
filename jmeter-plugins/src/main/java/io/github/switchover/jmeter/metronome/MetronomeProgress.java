package io.github.switchover.jmeter.metronome;

import io.github.switchover.jmeter.core.FailureKind;

/**
 * The state of one stream a moment ago.
 *
 * @param lagP99Ms send lag of the last second; null if nothing was sent in it
 * @param lastGoodUs null before the first
 * @param lastError null if there was none
 */
public record MetronomeProgress(ProbeCounts counts, Double lagP99Ms, Long lastGoodUs, FailureKind lastError) {

    /**
     * So far: {@code sent == good + late + failed + open}, and those that the client could not send.
     *
     * @param late answered as expected, but after the threshold; not counted in {@code good}
     */
    public record ProbeCounts(long sent, long good, long late, long failed, long open) {}
}
