package io.github.switchover.jmeter.judge;

import java.util.List;

/**
 * How long two or more balancers held the virtual address at once.
 *
 * @param overlaps times with two or more owners, longer than a handover
 * @param handovers no longer than that
 * @param boundUs of the witnesses' clocks against each other: an overlap is known to this; null: to nothing that is known
 */
public record SplitBrain(List<Span> overlaps, List<Span> handovers, Long boundUs) {

    public SplitBrain {
        overlaps = List.copyOf(overlaps);
        handovers = List.copyOf(handovers);
    }

    public long totalUs() {
        return overlaps.stream().mapToLong(Span::durationUs).sum();
    }

    public long longestHandoverUs() {
        return handovers.stream().mapToLong(Span::durationUs).max().orElse(0);
    }
}
