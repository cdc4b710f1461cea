package io.github.switchover.jmeter.judge;

/** Nearest-rank percentiles, in microseconds. */
public record Percentiles(long p50Us, long p90Us, long p99Us, long maxUs) {

    /** The smallest of the first so many ranked values that at least this share of them does not exceed. */
    static long nearestRank(long[] ranked, int count, int percent) {
        long rank = ((long) count * percent + 99) / 100;
        return ranked[Math.toIntExact(Math.max(0, rank - 1))];
    }

    /** Null without a value. */
    static Percentiles of(Values values) {
        if (values.count() == 0) {
            return null;
        }
        long[] ranked = values.ranked();
        return new Percentiles(
                nearestRank(ranked, ranked.length, 50),
                nearestRank(ranked, ranked.length, 90),
                nearestRank(ranked, ranked.length, 99),
                ranked[ranked.length - 1]);
    }
}
