package io.github.switchover.jmeter.judge;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * Requests of one population (probes, or samples) in one phase, or in all of them.
 *
 * @param total those that the client could send
 * @param generatorErrors those that it could not: no port, no descriptor; they count nowhere else
 * @param byKind failed requests by the kind of their error
 * @param rate requests a second over the length of the phase; null if that is 0
 * @param users mean number of users; null where the load generator did not tell
 * @param latency null without an answer
 */
public record Counts(
        long total,
        long failed,
        long late,
        long generatorErrors,
        Map<String, Long> byKind,
        Map<String, Long> byAnsweredBy,
        Map<String, StreamCounts> byStream,
        Double rate,
        Double users,
        Latency latency) {

    /** The same of the requests on fresh, or on kept, connections. */
    public record StreamCounts(long total, long failed, long late) {}

    public Counts {
        byKind = Collections.unmodifiableMap(new TreeMap<>(byKind));
        byAnsweredBy = Collections.unmodifiableMap(new TreeMap<>(byAnsweredBy));
        byStream = Collections.unmodifiableMap(new TreeMap<>(byStream));
    }
}
