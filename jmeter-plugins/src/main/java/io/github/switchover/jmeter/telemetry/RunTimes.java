package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;

/** Puts the times of a log on the run's clock, also where the machine's clock was set in the middle of the run. */
record RunTimes(long shiftAtStartUs, long shiftAtEndUs, Span run) {

    /**
     * A line is of the time of the run: where it is not by the clock of the start, the clock was set before it. A time of
     * whole seconds may lie a second before its line.
     */
    long of(long timeUs) {
        long found = timeUs + shiftAtStartUs;
        boolean isInside = run.fromUs() - Units.US_PER_S <= found && found <= run.toUs() + Units.US_PER_S;
        return isInside ? found : timeUs + shiftAtEndUs;
    }
}
