package io.github.switchover.jmeter.judge;

import java.util.Arrays;

/** Many whole numbers in little room: a run has millions. Not thread-safe. */
final class Values {

    private long[] values = new long[16];
    private int count;

    void add(long value) {
        if (count == values.length) {
            values = Arrays.copyOf(values, count + count / 2);
        }
        values[count++] = value;
    }

    void addAll(Values others) {
        values = Arrays.copyOf(values, Math.max(values.length, count + others.count));
        System.arraycopy(others.values, 0, values, count, others.count);
        count += others.count;
    }

    int count() {
        return count;
    }

    /** The smallest of ranked values that at least this share of them does not exceed. */
    static long nearestRank(long[] ranked, int percent) {
        long rank = ((long) ranked.length * percent + 99) / 100;
        return ranked[Math.toIntExact(Math.max(0, rank - 1))];
    }

    long[] ranked() {
        long[] ranked = Arrays.copyOf(values, count);
        Arrays.sort(ranked);
        return ranked;
    }
}
