package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Span;
import java.util.List;

/**
 * How long two or more balancers held the virtual address at once.
 *
 * @param overlaps times with two or more owners, longer than a handover
 * @param handovers the others, some of which may seem longer than {@link SplitBrainMeter#HANDOVER_US} by the clocks
 * @param boundUs of the sources' clocks against each other: an overlap is known to this; null: nothing is known of it
 */
public record SplitBrain(List<Span> overlaps, List<Span> handovers, Long boundUs) {

    public SplitBrain {
        overlaps = List.copyOf(overlaps);
        handovers = List.copyOf(handovers);
    }

    public long totalUs() {
        return overlaps.stream().mapToLong(Span::lengthUs).sum();
    }

    /**
     * The total in microseconds: each overlap is known to the sources' clocks at both of its ends.
     *
     * <p>Without clocks a line counts as it arrived: one of a node that was cut off comes when the way is back. What only
     * the clocks make a handover may have been a split brain: it is in the high end.
     */
    Interval length() {
        if (boundUs == null && !overlaps.isEmpty()) {
            return new Interval(0, null);
        }
        long bound = boundUs == null ? 0 : boundUs;
        double low = 0;
        double high = 0;
        for (Span overlap : overlaps) {
            Interval known = Interval.exactly((double) overlap.lengthUs()).widenedBy((double) bound);
            low += known.low();
            high += known.high();
        }
        for (Span doubtful : handovers) {
            high += doubtful.lengthUs() > SplitBrainMeter.HANDOVER_US ? doubtful.lengthUs() + bound : 0;
        }
        return new Interval(low, high);
    }
}
