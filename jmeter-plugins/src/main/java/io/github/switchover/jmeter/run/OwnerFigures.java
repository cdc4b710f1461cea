package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import java.util.List;

/**
 * How long two or more balancers held the virtual address at once; null without a witness on every balancer, all the time.
 */
public record OwnerFigures(Double splitBrainMs, SplitBrainTimes splitBrain) {

    /**
     * The stretches of it.
     *
     * @param overlaps times with two or more owners, longer than a handover
     * @param handovers no longer than that
     * @param boundMs of the witnesses' clocks against each other; null: nothing is known of it
     */
    public record SplitBrainTimes(List<TimedStretch> overlaps, List<TimedStretch> handovers, Double boundMs) {
        public SplitBrainTimes {
            overlaps = RunFile.copy(overlaps);
            handovers = RunFile.copy(handovers);
        }
    }

    /** A stretch of time. */
    public record TimedStretch(long fromUs, long toUs, double durationMs) {
        public static TimedStretch of(Interval interval) {
            return new TimedStretch(interval.fromUs(), interval.toUs(), Numbers.round(interval.lengthUs() / 1000.0, 3));
        }
    }
}
