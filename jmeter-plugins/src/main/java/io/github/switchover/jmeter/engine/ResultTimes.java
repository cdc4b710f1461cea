package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.ServerClocks;
import org.apache.jmeter.samplers.SampleResult;

/**
 * Converts the times of a result to the run's clock.
 *
 * <p>JMeter cuts the monotonic clock to whole milliseconds, and adds an offset of the wall clock that is up to 5 s old.
 * A result of this process also returns JMeter's present time, whose difference from the monotonic clock restores the
 * original times. A time is set to the middle of its millisecond. The result of a server uses that server's clock.
 */
public record ResultTimes(RunClock clock, ServerClocks servers) {

    /** Half a millisecond. */
    public static final long BOUND_US = 500;

    private static final int READINGS = 3;

    /** Returns the µs to add to the milliseconds of a result for times on the run's clock. */
    public long offsetUs(SampleResult result, String worker) {
        return worker.isEmpty() ? ownOffsetUs(result) : BOUND_US + serverOffsetUs(worker);
    }

    /** Returns false if the result never started or ended. The present time is used then. */
    public static boolean areKnown(SampleResult result) {
        return result.getStartTime() > 0 && result.getEndTime() >= result.getStartTime();
    }

    public long nowUs() {
        return clock.nowUs();
    }

    /** Converts a nanoTime to the run's clock. {@code anchorNs}: the anchor of the process that read the value. */
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
