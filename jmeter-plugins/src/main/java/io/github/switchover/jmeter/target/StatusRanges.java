package io.github.switchover.jmeter.target;

import java.util.List;
import java.util.stream.Collectors;

/** The status codes that count as good, {@code 200-399} or {@code 200,204,300-399}. */
public record StatusRanges(List<Range> ranges) {

    public static final StatusRanges DEFAULT = new StatusRanges(List.of(new Range(200, 399)));

    /** Every status, for those who look at it themselves. */
    public static final StatusRanges ANY = new StatusRanges(List.of(new Range(100, 999)));

    /** Both ends included. */
    public record Range(int low, int high) {}

    public StatusRanges {
        ranges = List.copyOf(ranges);
    }

    @Override
    public String toString() {
        return ranges.stream()
                .map(range -> range.low == range.high ? "" + range.low : range.low + "-" + range.high)
                .collect(Collectors.joining(","));
    }
}
