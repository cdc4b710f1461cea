package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.http.Attempt;

/**
 * One probe, in µs since the epoch on the run's clock.
 *
 * @param intendedUs the scheduled time, exactly on the grid
 * @param startUs the time of the connect call
 * @param endUs the time when the answer was complete, or the failure was detected
 * @param attempt the result of the request; its times are on the monotonic clock
 */
public record ProbeResult(long intendedUs, long startUs, long endUs, Outcome outcome, Attempt attempt) {}
