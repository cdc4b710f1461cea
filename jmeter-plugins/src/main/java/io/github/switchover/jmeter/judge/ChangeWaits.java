package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Sample;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How much longer good requests waited because of a change: against the same percentile between the changes. Each label
 * by itself, for how long a request takes is first of all a matter of what was asked for. Not thread-safe.
 */
final class ChangeWaits {

    /** So many labels are looked at, the most common ones. */
    private static final int LABELS = 100;

    /** Of a normal distribution, which the binomial ranks of order statistics come close to: 95 % lie within. */
    private static final double Z95 = 1.96;

    private final int changes;
    private final Map<String, OfLabel> byLabel = new HashMap<>();

    ChangeWaits(int changes) {
        this.changes = changes;
    }

    /** {@code place}: of the change that the request belongs to; below 0 of none. */
    void add(Sample sample, int place) {
        if (sample.success()) {
            byLabel.computeIfAbsent(sample.request().label(), label -> new OfLabel(changes))
                    .add(place, Outcome.latencyUs(sample));
        }
    }

    /** Of the labels that had answers both within a change and between changes, the most common one first. */
    List<Waited> found() {
        return byLabel.entrySet().stream()
                .sorted(Comparator.comparing((Map.Entry<String, OfLabel> entry) ->
                                -entry.getValue().count())
                        .thenComparing(Map.Entry::getKey))
                .limit(LABELS)
                .map(entry -> entry.getValue().waited())
                .filter(Objects::nonNull)
                .toList();
    }

    /**
     * Microseconds from when a request was due to the end of its answer.
     *
     * @param longestUs of the requests that belong to a change
     * @param usual the same percentile of those between the changes, with its 95 % interval; without an end: there were
     *     too few of them
     * @param longestOf by the place of a change of which something ended within it
     */
    record Waited(long longestUs, Interval usual, Map<Integer, Long> longestOf) {

        /** What a change added to the longest. */
        Interval caused() {
            double low = usual.high() == null ? 0 : Math.max(0, longestUs - usual.high());
            return new Interval(low, Math.max(low, longestUs - usual.low()));
        }

        /** The longest of a change that is above what is usual between them; null: none is, or that is not known. */
        Long delayedUs(int place) {
            Long longest = longestOf.get(place);
            return longest != null && usual.high() != null && longest > usual.high() ? longest : null;
        }
    }

    /** The waits of one label. */
    private static final class OfLabel {

        private final long[] longest;
        private final Values between = new Values();
        private int during;

        OfLabel(int changes) {
            longest = new long[changes];
            Arrays.fill(longest, -1);
        }

        void add(int place, long us) {
            if (place < 0) {
                between.add(us);
            } else {
                during++;
                longest[place] = Math.max(longest[place], us);
            }
        }

        int count() {
            return during + between.count();
        }

        Waited waited() {
            if (during == 0 || between.count() == 0) {
                return null;
            }
            Map<Integer, Long> longestOf = new HashMap<>();
            long longestUs = 0;
            for (int place = 0; place < longest.length; place++) {
                if (longest[place] >= 0) {
                    longestOf.put(place, longest[place]);
                    longestUs = Math.max(longestUs, longest[place]);
                }
            }
            return new Waited(longestUs, samePercentile(between.ranked(), during), longestOf);
        }

        /** Of ranked values, the percentile that the longest of {@code others} values is of them. */
        private static Interval samePercentile(long[] ranked, int others) {
            double share = 1 - 1 / (2.0 * others);
            double middle = ranked.length * share;
            double width = Z95 * Math.sqrt(ranked.length * share * (1 - share));
            int low = (int) Math.floor(middle - width);
            int high = (int) Math.ceil(middle + width);
            double lowValue = ranked[Math.max(low, 0)];
            return new Interval(lowValue, high < ranked.length ? (Double) (double) ranked[high] : null);
        }
    }
}
