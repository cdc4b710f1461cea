package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Units;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Scheduled times on a fixed grid, {@code due_i = t0 + i / rate} rounded down to ns, and the missed slots.
 *
 * <p>A slot is taken when its probe is sent, however late. A slot that is overdue by more than {@code staleNs} is
 * skipped, so a process that was stopped does not send thousands of old probes. {@code scheduled == taken + unsent} is
 * always true. Not thread-safe.
 */
final class Schedule {

    /** The highest number of separate gaps, for bounded memory. Later gaps are joined to the last gap. */
    static final int GAPS_LIMIT = 1000;

    /** The time from the first skipped slot to the next slot that was not skipped. */
    record UnsentGap(long fromNs, long toNs) {}

    private final Rate rate;
    private final long t0Ns;
    private final long staleNs;

    private final List<UnsentGap> gaps = new ArrayList<>();
    private long scheduled;
    private long unsent;
    private long nextDueNs;

    Schedule(long t0Ns, Rate rate, long staleNs) {
        this.rate = rate;
        this.t0Ns = t0Ns;
        this.staleNs = staleNs;

        nextDueNs = t0Ns;
    }

    Rate rate() {
        return rate;
    }

    /** Returns the number of slots that were taken or skipped. */
    long scheduled() {
        return scheduled;
    }

    long unsent() {
        return unsent;
    }

    List<UnsentGap> gaps() {
        return gaps;
    }

    long nextDueNs() {
        return nextDueNs;
    }

    long dueNs(long index) {
        BigInteger sinceStart = BigInteger.valueOf(index).multiply(nsPerStepTop());
        return t0Ns + sinceStart.divide(BigInteger.valueOf(rate.numerator())).longValueExact();
    }

    /** Takes the next slot, and returns its due time. */
    long take() {
        long dueNs = nextDueNs;
        scheduled++;
        nextDueNs = dueNs(scheduled);
        return dueNs;
    }

    /** Skips every slot that is overdue by more than {@code staleNs}. */
    void giveUpStale(long nowNs) {
        long oldestKeptNs = nowNs - staleNs;
        if (nextDueNs >= oldestKeptNs) {
            return;
        }
        long firstNs = nextDueNs;
        long index = indexBefore(oldestKeptNs);
        while (dueNs(index) < oldestKeptNs) {
            index++;
        }
        unsent += index - scheduled;
        scheduled = index;
        nextDueNs = dueNs(index);
        UnsentGap last = gaps.isEmpty() ? null : gaps.get(gaps.size() - 1);
        if (last != null && (last.toNs == firstNs || gaps.size() >= GAPS_LIMIT)) {
            gaps.set(gaps.size() - 1, new UnsentGap(last.fromNs, nextDueNs));
        } else {
            gaps.add(new UnsentGap(firstNs, nextDueNs));
        }
    }

    /** Returns the numerator of the time between two slots in ns, whose denominator is the rate's numerator. */
    private BigInteger nsPerStepTop() {
        return BigInteger.valueOf(rate.denominator() * Units.NS_PER_S);
    }

    /** Returns the last index whose unrounded time is not after the given time. */
    private long indexBefore(long timeNs) {
        return BigInteger.valueOf(timeNs - t0Ns)
                .multiply(BigInteger.valueOf(rate.numerator()))
                .divide(nsPerStepTop())
                .longValueExact();
    }

    /** Wakes the loop when a probe is due, with a separate schedule. A selector waits only in whole milliseconds. */
    static final class Alarm implements Runnable {

        private final Schedule schedule;
        private final Runnable wake;
        private volatile boolean stopped;
        private volatile @Nullable Thread thread;

        /** {@code schedule} must not be used by another thread. */
        Alarm(Schedule schedule, Runnable wake) {
            this.schedule = schedule;
            this.wake = wake;
        }

        @Override
        public void run() {
            thread = Thread.currentThread();
            while (!stopped) {
                long waitNs = schedule.nextDueNs() - System.nanoTime();
                if (waitNs > 0) {
                    LockSupport.parkNanos(waitNs);
                    continue;
                }
                wake.run();
                long nowNs = System.nanoTime();
                schedule.giveUpStale(nowNs);
                while (schedule.nextDueNs() <= nowNs) {
                    schedule.take();
                }
            }
        }

        void stop() {
            stopped = true;
            Thread waiting = thread;
            if (waiting != null) {
                LockSupport.unpark(waiting);
            }
        }
    }

    /** A rate as an exact decimal fraction: 333.3 is 3333/10, not the nearest binary fraction. */
    public record Rate(long numerator, long denominator) {

        /** The number of decimals that a field of an element accepts. */
        private static final int DECIMALS = 9;

        /** The fraction of the rate's decimals. */
        public static Rate of(double perSecond) {

            BigDecimal exact = BigDecimal.valueOf(perSecond).setScale(DECIMALS, RoundingMode.HALF_EVEN);
            BigInteger n = exact.unscaledValue();
            BigInteger d = BigInteger.TEN.pow(DECIMALS);
            BigInteger common = n.gcd(d);
            return new Rate(n.divide(common).longValueExact(), d.divide(common).longValueExact());
        }

        double perSecond() {
            return (double) numerator / denominator;
        }
    }
}
