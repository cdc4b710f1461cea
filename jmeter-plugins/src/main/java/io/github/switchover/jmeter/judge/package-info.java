/**
 * Figures of a run, computed from what it left behind and nothing else: pure functions, one file each.
 *
 * <p>{@code RunLoader} reads a run directory into {@code RunData}, {@code Judge} makes a {@code Verdict} of it. The
 * definitions are those of docs/measurement.md, held to Python's by shared vectors: equal to the last digit. What only
 * Python computes (timeline, prediction, statistics, accounting) is null here, and told by {@code switchover report}.
 */
package io.github.switchover.jmeter.judge;
