package io.github.switchover.jmeter.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A stretch of the run's clock, [from, to), in microseconds. */
public record Span(long fromUs, long toUs) {

    public long lengthUs() {
        return toUs - fromUs;
    }

    public boolean contains(long atUs) {
        return fromUs <= atUs && atUs < toUs;
    }

    /** What is left of it, in order of time; {@code taken} is merged. */
    public List<Span> without(List<Span> taken) {
        List<Span> left = new ArrayList<>();
        long beginUs = fromUs;
        for (Span one : taken) {
            if (one.toUs > beginUs && one.fromUs < toUs) {
                if (one.fromUs > beginUs) {
                    left.add(new Span(beginUs, one.fromUs));
                }
                beginUs = one.toUs;
            }
        }
        if (beginUs < toUs) {
            left.add(new Span(beginUs, toUs));
        }
        return left;
    }

    /** In order of time, adjoining and overlapping ones as one. */
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
