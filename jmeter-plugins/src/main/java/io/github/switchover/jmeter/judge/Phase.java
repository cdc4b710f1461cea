package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;

/** A stretch of the run, from its first microsecond up to the next phase's. */
public record Phase(PhaseName name, long fromUs, long toUs) {

    public double seconds() {
        return Units.secondsOfUs(toUs - fromUs);
    }

    /** What of it lies within a span; all of it where that is null. */
    Phase within(Span span) {
        return span == null ? this : new Phase(name, span.clamp(fromUs), span.clamp(toUs));
    }
}
