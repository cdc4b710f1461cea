package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.http.Attempt;

/** One probe in µs of the run's clock: its time on the grid, its connect call, and its answer or failure. */
public record ProbeResult(long intendedUs, long startUs, long endUs, Outcome outcome, Attempt attempt) {}
