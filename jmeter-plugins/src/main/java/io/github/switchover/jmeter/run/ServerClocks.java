package io.github.switchover.jmeter.run;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Units;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The offsets of the servers of a remote test from the run's clock, as the servers measured them. Thread-safe.
 *
 * <p>Each server measures before its first sample, so all its times get the same correction.
 */
public final class ServerClocks {

    private final Map<String, ClockReading> before = new ConcurrentHashMap<>();
    private final Map<String, ClockReading> after = new ConcurrentHashMap<>();

    /** Adds a measurement before or after the test of the server. */
    public void add(String server, boolean hasEnded, ClockReading reading) {
        (hasEnded ? after : before).merge(server, reading, ClockReading::orNarrower);
    }

    /** The microseconds to add to the times of a server; 0 if the offset is not larger than its bound. */
    public @Nullable Long correctionUs(String server) {
        ClockReading reading = before.get(server);
        if (reading == null) {
            return null;
        }
        return Math.abs(reading.offsetUs()) > reading.boundUs() ? -reading.offsetUs() : 0;
    }

    /** True if the clock was measured both before the server's first sample and after its last sample. */
    public boolean areKnown(String server) {
        return before.containsKey(server) && after.containsKey(server);
    }

    /** The measurement before the test. */
    public @Nullable ClockReading reading(String server) {
        return before.get(server);
    }

    public List<NodeClock> residuals() {
        List<NodeClock> facts = new ArrayList<>();
        new TreeMap<>(before).forEach((server, reading) -> {
            facts.add(residual(server, NodeClock.BEFORE, reading));
            facts.add(residual(server, NodeClock.AFTER, after.get(server)));
        });
        return facts;
    }

    private NodeClock residual(String server, String when, @Nullable ClockReading reading) {
        return reading == null
                ? new NodeClock(server, when, null, null, null)
                : new NodeClock(
                        server,
                        when,
                        reading.offsetUs() + requireNonNull(correctionUs(server)),
                        reading.boundUs(),
                        null);
    }

    /** A reading of another process's wall clock: ahead of the run's clock by {@code offsetUs}, ± {@code boundUs}. */
    public record ClockReading(long offsetUs, long boundUs) implements Serializable {

        /** Computes the offset from one answer {@code runNs}: the middle of its bounds, ± half the round trip. */
        public static ClockReading of(long sentNs, long runNs, long receivedNs) {
            return between(sentNs - runNs, receivedNs - runNs);
        }

        /** Returns the middle of two bounds in ns, ± half their distance, rounded up. */
        public static ClockReading between(long lowNs, long highNs) {
            long lowUs = Units.usOfNs(lowNs);
            long highUs = -Units.usOfNs(-highNs);
            long offsetUs = lowUs + (highUs - lowUs) / 2;
            return new ClockReading(offsetUs, highUs - offsetUs);
        }

        public ClockReading orNarrower(ClockReading other) {
            return other.boundUs < boundUs ? other : this;
        }
    }

    /** The clock of a node in run.json, read before or after the run; null with an error: it could not be read. */
    public record NodeClock(
            String node,
            String when,
            @Nullable Long offsetUs,
            @Nullable Long boundUs,
            @Nullable String error) {

        public static final String BEFORE = "before";
        public static final String AFTER = "after";
    }
}
