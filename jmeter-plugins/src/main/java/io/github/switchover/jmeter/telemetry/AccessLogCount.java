package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.run.AccessLogFacts;
import java.util.Map;

/**
 * Lines that a node's access log grew by.
 *
 * @param isKept its records are in the run directory; not if there are too many, or the log could not be read
 */
public record AccessLogCount(String node, AccessLogFacts facts, boolean isKept) {

    static AccessLogCount unknown(String node, String warning) {
        return new AccessLogCount(node, new AccessLogFacts(null, Map.of(), Map.of(), warning), false);
    }
}
