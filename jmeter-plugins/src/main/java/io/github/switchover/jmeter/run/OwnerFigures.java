package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import java.util.List;

/**
 * How long two or more balancers held the virtual address at once; null without a source on every balancer, all the time.
 */
public record OwnerFigures(Double splitBrainMs, SplitBrainTimes splitBrain) {

    /**
     * Its length, and the stretches of it.
     *
     * @param lowMs of all overlaps together, like {@code highMs}; the sources' clocks leave it open in between.
     *     Null: it has no known end, since nothing is known of a clock
     * @param overlaps times with two or more owners, longer than a handover
     * @param handovers no longer than that
     * @param boundMs of the sources' clocks against each other; null: nothing is known of it
     */
    public record SplitBrainTimes(
            Double lowMs, Double highMs, List<TimedStretch> overlaps, List<TimedStretch> handovers, Double boundMs) {
        public SplitBrainTimes {
            overlaps = RunFile.copy(overlaps);
            handovers = RunFile.copy(handovers);
        }
    }

    /** A stretch of time. */
    public record TimedStretch(long fromUs, long toUs, double durationMs) {
        public static TimedStretch of(Span span) {
            return new TimedStretch(span.fromUs(), span.toUs(), Numbers.round(Units.msOfUs(span.lengthUs()), 3));
        }
    }
}
