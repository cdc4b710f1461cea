package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.http.Attempt;
import java.util.Locale;

/**
 * One probe, in µs since the epoch on the run's clock.
 *
 * @param intendedUs the scheduled time, exactly on the grid
 * @param startUs the time of the connect call; on a kept connection, the time when the request was sent
 * @param endUs the time when the answer was complete, or the failure was detected
 * @param attempt the result of the request; its times are on the monotonic clock
 */
public record ProbeResult(
        ProbeStream stream, long intendedUs, long startUs, long endUs, Outcome outcome, Attempt attempt) {

    /** One of the prober's two streams; {@code label()} is the tag and the column {@code stream}. */
    public enum ProbeStream {
        /** Each probe on a new connection. */
        FRESH,
        /** Each probe on a kept connection. */
        KEPT;

        private final String label = name().toLowerCase(Locale.ROOT);

        public String label() {
            return label;
        }
    }
}
