package io.github.switchover.jmeter.telemetry;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Lines that an access log grew by.
 *
 * @param lines null if {@code warning} says why that is not known
 * @param byStatus lines of another form than {@code combined} count as {@code unread}
 * @param warning null: all is well
 * @param isKept its records are in the run directory; not if there are too many, or the log could not be read
 */
public record AccessLogCount(
        String node,
        Long lines,
        Map<String, Long> byStatus,
        Map<String, Long> byRemote,
        String warning,
        boolean isKept) {

    static AccessLogCount unknown(String node, String warning) {
        return new AccessLogCount(node, null, Map.of(), Map.of(), warning, false);
    }

    /** The counts, as run.json has them. */
    public Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("lines", lines);
        facts.put("by_status", byStatus);
        facts.put("by_remote", byRemote);
        facts.put("warning", warning);
        return facts;
    }
}
