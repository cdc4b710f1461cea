package io.github.switchover.jmeter.judge;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A stretch of time, in epoch microseconds. */
public record Span(long fromUs, long toUs) {

    public long durationUs() {
        return toUs - fromUs;
    }

    /** In their order, adjoining and overlapping ones as one. */
    public static List<Span> merged(List<Span> spans) {
        List<Span> sorted = new ArrayList<>(spans);
        sorted.sort(Comparator.comparingLong(Span::fromUs));
        List<Span> merged = new ArrayList<>();
        for (Span span : sorted) {
            Span last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && span.fromUs <= last.toUs) {
                merged.set(merged.size() - 1, new Span(last.fromUs, Math.max(last.toUs, span.toUs)));
            } else {
                merged.add(span);
            }
        }
        return merged;
    }
}
