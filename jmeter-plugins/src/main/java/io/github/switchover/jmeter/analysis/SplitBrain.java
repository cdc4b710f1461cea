package io.github.switchover.jmeter.analysis;

import java.util.List;

/**
 * How long two or more balancers held the virtual address at once.
 *
 * @param overlaps longer than a handover
 * @param boundUs of the witnesses' clocks against each other: an overlap is known to this; null: to nothing that is known
 */
public record SplitBrain(List<Overlap> overlaps, List<Overlap> handovers, Long boundUs) {

    /** One stretch of time with two or more owners. */
    public record Overlap(long fromUs, long toUs) {

        public long durationUs() {
            return toUs - fromUs;
        }
    }

    public SplitBrain {
        overlaps = List.copyOf(overlaps);
        handovers = List.copyOf(handovers);
    }

    public long totalUs() {
        return overlaps.stream().mapToLong(Overlap::durationUs).sum();
    }

    public long longestHandoverUs() {
        return handovers.stream().mapToLong(Overlap::durationUs).max().orElse(0);
    }
}
