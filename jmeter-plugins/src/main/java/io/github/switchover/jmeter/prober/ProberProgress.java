package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.FailureKind;

/**
 * The state of the fresh stream a moment ago: {@code sent == good + late + failed + open}, and those that the client could
 * not send.
 *
 * @param late answered as expected, but after the threshold; not counted in {@code good}
 * @param lastError null if there was none
 */
public record ProberProgress(long sent, long good, long late, long failed, long open, FailureKind lastError) {}
