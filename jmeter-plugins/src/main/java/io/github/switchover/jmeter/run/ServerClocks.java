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
 * The offsets of the servers of a remote test from the run's clock, as the servers measured them. Each server measures
 * before its first sample, so all its times get the same correction. Thread-safe.
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
     * The microseconds to add to the times of a server.
     *
     * <p>Zero if the offset is not larger than its bound, because the true offset may then be zero.
     */
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

    /**
     * A reading of another process's wall clock: it is ahead of the run's clock by {@code offsetUs}, ± {@code boundUs}.
     */
    public record ClockReading(long offsetUs, long boundUs) implements Serializable {

        /**
         * Computes the offset from one answer. The run's clock was read between sending and receiving. Therefore the
         * other clock is ahead by a value between (sent - answer) and (received - answer). The estimate is the middle,
         * ± half the round trip.
         *
         * @param sentNs by the wall clock of the requesting process, like {@code receivedNs}
         * @param runNs the answer: the time of the run's clock
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
     * The clock of a node in run.json: it is ahead of the run's clock by {@code offsetUs}, ± {@code boundUs}.
     *
     * @param when {@link #BEFORE} or {@link #AFTER} the run
     * @param offsetUs null, like {@code boundUs}: the clock could not be read
     * @param error why the clock could not be read
     */
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
