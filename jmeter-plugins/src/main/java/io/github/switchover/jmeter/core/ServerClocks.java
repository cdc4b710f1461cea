package io.github.switchover.jmeter.core;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far the servers of a remote test are ahead of the run's clock, as they found out themselves. Each does so before its
 * first sample, so all its times are put right in the same way. Thread-safe.
 */
public final class ServerClocks {

    private final Map<String, ClockReading> before = new ConcurrentHashMap<>();
    private final Map<String, ClockReading> after = new ConcurrentHashMap<>();

    /** Of several that ask on one server, the narrowest counts. */
    public void before(String server, ClockReading reading) {
        before.merge(server, reading, ClockReading::orNarrower);
    }

    public void after(String server, ClockReading reading) {
        after.merge(server, reading, ClockReading::orNarrower);
    }

    /**
     * What is added to a server's times; null: unknown.
     *
     * <p>Nothing, where the offset is within its own bound: then it may as well be none.
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

    /** How far the recorded times are ahead, after what was put right. */
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
}
