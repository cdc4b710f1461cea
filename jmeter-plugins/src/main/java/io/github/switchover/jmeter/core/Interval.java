package io.github.switchover.jmeter.core;

import java.util.List;
import java.util.Objects;

/** A figure that lies between two ends, both included; {@code high} null: it has no known end. */
public record Interval(double low, Double high) {

    /** True: the whole interval keeps the limit. False: all of it exceeds the limit. Null: it cannot be told. */
    public Boolean isWithin(double limit) {
        if (high != null && high <= limit) {
            return true;
        }
        return low > limit ? (Boolean) false : null;
    }

    /** In another unit. */
    public Interval dividedBy(double divisor) {
        return new Interval(low / divisor, high == null ? null : (Double) (high / divisor));
    }

    /** Of the longest of several durations; 0 of none. One without an end leaves it without an end. */
    public static Interval longestOf(List<Interval> intervals) {
        double low = intervals.stream().mapToDouble(Interval::low).max().orElse(0);
        boolean ended = intervals.stream().map(Interval::high).allMatch(Objects::nonNull);
        double high =
                ended ? intervals.stream().mapToDouble(Interval::high).max().orElse(0) : 0;
        return new Interval(low, ended ? (Double) high : null);
    }
}
