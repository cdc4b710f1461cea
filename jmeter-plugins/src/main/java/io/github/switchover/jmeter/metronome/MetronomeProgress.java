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
        FailureKind lastError) {

    static ProgressBuilder builder() {
        return new ProgressBuilder();
    }

    /** A state as it is put together. Not thread-safe. */
    static final class ProgressBuilder {

        private long sent;
        private long good;
        private long failed;
        private long late;
        private long open;
        private Double lagP99Ms;
        private Long lastGoodUs;
        private FailureKind lastError;

        private ProgressBuilder() {}

        MetronomeProgress build() {
            return new MetronomeProgress(sent, good, failed, late, open, lagP99Ms, lastGoodUs, lastError);
        }

        ProgressBuilder sent(long value) {
            sent = value;
            return this;
        }

        ProgressBuilder good(long value) {
            good = value;
            return this;
        }

        ProgressBuilder failed(long value) {
            failed = value;
            return this;
        }

        ProgressBuilder late(long value) {
            late = value;
            return this;
        }

        ProgressBuilder open(long value) {
            open = value;
            return this;
        }

        ProgressBuilder lagP99Ms(Double value) {
            lagP99Ms = value;
            return this;
        }

        ProgressBuilder lastGoodUs(Long value) {
            lastGoodUs = value;
            return this;
        }

        ProgressBuilder lastError(FailureKind value) {
            lastError = value;
            return this;
        }
    }
}
