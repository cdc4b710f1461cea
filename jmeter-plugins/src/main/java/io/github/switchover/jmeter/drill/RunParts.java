package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.metronome.Metronome;
import java.util.concurrent.CountDownLatch;

/**
 * What a running run has, for those who act on its target.
 *
 * @param metronome null, where nothing is probed
 * @param stopped the run is over
 */
record RunParts(
        DrillSettings settings,
        RunRecord record,
        RunClock clock,
        Telemetry telemetry,
        Metronome metronome,
        CountDownLatch stopped,
        RunMessages notes) {}
