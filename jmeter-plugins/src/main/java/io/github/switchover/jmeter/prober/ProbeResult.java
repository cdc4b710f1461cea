package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.http.Attempt;
import java.util.Locale;

/**
 * One probe, from its due time to its end; µs since the epoch on the run's clock.
 *
 * @param intendedUs its due time, exactly on the grid
 * @param startUs when connect was called; on a kept connection, when the request was sent
 * @param endUs the answer was complete, or its failure was noticed
 * @param attempt all that became of it; its own times are on the monotonic clock
 */
public record ProbeResult(
        ProbeStream stream, long intendedUs, long startUs, long endUs, Outcome outcome, Attempt attempt) {

    /** One of the prober's two streams; {@code label()} is the tag and the column {@code stream}. */
    public enum ProbeStream {
        /** Each probe on a new connection. */
        FRESH,
        /** On connections that stay. */
        KEPT;

        private final String label = name().toLowerCase(Locale.ROOT);

        public String label() {
            return label;
        }
    }
}
