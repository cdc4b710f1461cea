package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import java.util.List;

/**
 * How long two or more balancers held the virtual address at once.
 *
 * @param overlaps times with two or more owners, longer than a handover
 * @param handovers no longer than that
 * @param boundUs of the witnesses' clocks against each other: an overlap is known to this; null: nothing is known of it
 */
public record SplitBrain(List<Interval> overlaps, List<Interval> handovers, Long boundUs) {

    public SplitBrain {
        overlaps = List.copyOf(overlaps);
        handovers = List.copyOf(handovers);
    }

    public long totalUs() {
        return overlaps.stream().mapToLong(Interval::lengthUs).sum();
    }
}
