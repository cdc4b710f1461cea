package io.github.switchover.jmeter.core;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** A stretch of time, [from, to), in microseconds. */
public record Interval(long fromUs, long toUs) {

    public long lengthUs() {
        return toUs - fromUs;
    }

    /** Whole milliseconds, halves to the even one. */
    public long milliseconds() {
        return (long) Math.rint(lengthUs() / 1000.0);
    }

    public boolean overlaps(Interval other) {
        return fromUs < other.toUs && other.fromUs < toUs;
    }

    /** The nearest time within it, its ends included. */
    public long clamp(long atUs) {
        return Math.min(Math.max(atUs, fromUs), toUs);
    }

    /** In their order, adjoining and overlapping ones as one. */
    public static List<Interval> merged(List<Interval> intervals) {
        List<Interval> sorted = new ArrayList<>(intervals);
        sorted.sort(Comparator.comparingLong(Interval::fromUs));
        List<Interval> merged = new ArrayList<>();
        for (Interval interval : sorted) {
            Interval last = merged.isEmpty() ? null : merged.get(merged.size() - 1);
            if (last != null && interval.fromUs <= last.toUs) {
                merged.set(merged.size() - 1, new Interval(last.fromUs, Math.max(last.toUs, interval.toUs)));
            } else {
                merged.add(interval);
            }
        }
        return merged;
    }
}
