package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.prober.Prober;
import java.util.concurrent.CountDownLatch;

/**
 * What a running run has, for those who act on its target.
 *
 * @param prober null, where nothing is probed
 * @param stopped the run is over
 */
record RunParts(
        DrillSettings settings,
        RunRecord record,
        RunClock clock,
        Telemetry telemetry,
        Prober prober,
        CountDownLatch stopped,
        RunMessages notes) {}
