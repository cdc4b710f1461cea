package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.ServerClocks;
import org.apache.jmeter.samplers.SampleResult;

/**
 * A result's times on the run's clock.
 *
 * <p>JMeter reads the monotonic clock, cuts it to whole milliseconds and adds the wall clock's offset ({@code
 * SampleResult.currentTimeInMillis}). That offset is up to 5 s old. A result of this process returns that
 * time now. Compared with the monotonic clock now, this gives the original readings back, even if the wall clock was
 * set. The middle of the millisecond that was cut off is used, so a time is wrong by {@link #BOUND_US} at most. A
 * result of a server has that server's wall clock. JMeter's cutting adds up to a millisecond to either side.
 */
public record ResultTimes(RunClock clock, ServerClocks servers) {

    /** Half a millisecond. */
    public static final long BOUND_US = 500;

    private static final int READINGS = 3;

    /** The µs to add to the milliseconds of a result for its times on the run's clock. */
    public long offsetUs(SampleResult result, String worker) {
        return worker.isEmpty() ? ownOffsetUs(result) : BOUND_US + serverOffsetUs(worker);
    }

    /** A result that never began or ended is of now. */
    public static boolean areKnown(SampleResult result) {
        return result.getStartTime() > 0 && result.getEndTime() >= result.getStartTime();
    }

    public long nowUs() {
        return clock.nowUs();
    }

    /**
     * A reading of {@link System#nanoTime} on the run's clock; {@code anchorNs} turns it into generation time in the
     * process that read it.
     */
    public long exactUs(long readingNs, long anchorNs, String worker) {
        return worker.isEmpty()
                ? Units.usOfNs(clock.fromNanoTime(readingNs))
                : Units.usOfNs(readingNs + anchorNs) + serverOffsetUs(worker);
    }

    private long serverOffsetUs(String worker) {
        Long known = servers.correctionUs(worker);
        return known == null ? clock.fromWallNs(0) / Units.NS_PER_US : known;
    }

    private long ownOffsetUs(SampleResult result) {
        long ms = 0;
        for (int i = 0; i < READINGS; i++) {
            long before = Math.floorDiv(System.nanoTime(), Units.NS_PER_MS);
            ms = before - result.currentTimeInMillis();
            if (Math.floorDiv(System.nanoTime(), Units.NS_PER_MS) == before) {
                break;
            }
        }
        return Units.usOfNs(clock.fromNanoTime(ms * Units.NS_PER_MS)) + Units.US_PER_MS / 2;
    }
}
