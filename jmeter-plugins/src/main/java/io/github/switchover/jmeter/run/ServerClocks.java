package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Units;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The offsets of the servers of a remote test from the run's clock, as the servers measured them. Each server
 * measures before its first sample, so all its times are corrected in the same way. Thread-safe.
 */
public final class ServerClocks {

    private final Map<String, ClockReading> before = new ConcurrentHashMap<>();
    private final Map<String, ClockReading> after = new ConcurrentHashMap<>();

    public void before(String server, ClockReading reading) {
        before.merge(server, reading, ClockReading::orNarrower);
    }

    public void after(String server, ClockReading reading) {
        after.merge(server, reading, ClockReading::orNarrower);
    }

    /**
     * The µs to add to a server's times; null: unknown.
     *
     * <p>Zero if the offset is within its bound: the true offset may then be zero, too.
     */
    public Long correctionUs(String server) {
        ClockReading reading = before.get(server);
        if (reading == null) {
            return null;
        }
        return Math.abs(reading.offsetUs()) > reading.boundUs() ? -reading.offsetUs() : 0;
    }

    /** Before its first sample and after its last one. */
    public boolean areKnown(String server) {
        return before.containsKey(server) && after.containsKey(server);
    }

    /** Before the test; null: unknown. */
    public ClockReading reading(String server) {
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

    private NodeClock residual(String server, String when, ClockReading reading) {
        return reading == null
                ? new NodeClock(server, when, null, null, null)
                : new NodeClock(server, when, reading.offsetUs() + correctionUs(server), reading.boundUs(), null);
    }

    /** Another process's wall clock is ahead of the run's clock by {@code offsetUs}, give or take {@code boundUs}. */
    public record ClockReading(long offsetUs, long boundUs) implements Serializable {

        /**
         * Computes the offset from one answer. The run's clock was read between the sending and the receiving. So the
         * other clock is ahead by something between (sent - the answer) and (received - the answer). The estimate is
         * the middle, give or take half the round trip.
         *
         * @param sentNs by the wall clock of the process that asks, like {@code receivedNs}
         * @param runNs the answer
         */
        public static ClockReading of(long sentNs, long runNs, long receivedNs) {
            long lowUs = Units.usOfNs(sentNs - runNs);
            long highUs = -Units.usOfNs(runNs - receivedNs);
            long offsetUs = lowUs + (highUs - lowUs) / 2;
            return new ClockReading(offsetUs, highUs - offsetUs);
        }

        public ClockReading orNarrower(ClockReading other) {
            return other.boundUs < boundUs ? other : this;
        }
    }

    /**
     * A node's clock against the run's, as run.json has it: ahead by {@code offsetUs}, give or take {@code boundUs}.
     *
     * @param when {@link #BEFORE} or {@link #AFTER} the run
     * @param offsetUs null, like {@code boundUs}: the clock could not be read
     * @param error why; null: it could be read
     */
    public record NodeClock(String node, String when, Long offsetUs, Long boundUs, String error) {

        public static final String BEFORE = "before";
        public static final String AFTER = "after";

        public boolean isKnown() {
            return offsetUs != null && boundUs != null;
        }
    }
}
