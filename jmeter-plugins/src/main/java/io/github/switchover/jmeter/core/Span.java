package io.github.switchover.jmeter.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A period [from, to) on the clock of the run, in microseconds. */
public record Span(long fromUs, long toUs) {

    public long lengthUs() {
        return toUs - fromUs;
    }

    public boolean contains(long atUs) {
        return fromUs <= atUs && atUs < toUs;
    }

    /** Returns the parts of this span outside the merged spans {@code taken}, in order of time. */
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

    /** A figure between two bounds, both included. {@code high} null: no upper bound is known. */
    public record Interval(double low, @Nullable Double high) {

        /** True: the interval is at most the limit. False: the interval is above the limit. Null: neither. */
        public @Nullable Boolean isWithin(double limit) {
            if (high != null && high <= limit) {
                return true;
            }
            return low > limit ? false : null;
        }

        /** Returns the interval with both bounds divided by a number, to convert its unit. */
        public Interval dividedBy(double divisor) {
            return new Interval(low / divisor, high == null ? null : high / divisor);
        }

        /** Returns the bounds of the longest of several durations; 0 without durations. */
        public static Interval longestOf(List<Interval> intervals) {
            double low = intervals.stream().mapToDouble(Interval::low).max().orElse(0);
            boolean ended = intervals.stream().map(Interval::high).allMatch(Objects::nonNull);
            double high =
                    ended ? intervals.stream().mapToDouble(Interval::high).max().orElse(0) : 0;
            return new Interval(low, ended ? high : null);
        }
    }
}
