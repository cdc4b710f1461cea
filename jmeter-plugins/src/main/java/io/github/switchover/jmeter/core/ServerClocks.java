package io.github.switchover.jmeter.core;

import java.util.ArrayList;
import java.util.LinkedHashMap;
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
     * What is added to a server's times; null: nobody knows.
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

    /** Before the test; null: nobody knows. */
    public ClockReading reading(String server) {
        return before.get(server);
    }

    /** As {@code LoadFacts.clocks} has them: how far the recorded times are ahead, after what was put right. */
    public List<Map<String, Object>> facts() {
        List<Map<String, Object>> facts = new ArrayList<>();
        new TreeMap<>(before).forEach((server, reading) -> {
            facts.add(residual(server, "before", reading));
            facts.add(residual(server, "after", after.get(server)));
        });
        return facts;
    }

    private Map<String, Object> residual(String server, String when, ClockReading reading) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("node", server);
        facts.put("when", when);
        facts.put("offset_us", reading == null ? null : (Object) (reading.offsetUs() + correctionUs(server)));
        facts.put("bound_us", reading == null ? null : (Object) reading.boundUs());
        return facts;
    }
}
