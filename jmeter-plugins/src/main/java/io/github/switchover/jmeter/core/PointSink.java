package io.github.switchover.jmeter.core;

import java.util.Map;

/** Takes points, from any thread. */
public interface PointSink {

    void write(String measurement, Map<String, String> tags, Map<String, FieldValue> fields, long timeNs);

    /** {@code node} and {@code id} may be empty. */
    default void event(EventKind kind, String text, long timeNs, String node, String id) {
        write(
                Measurements.EVENT,
                Map.of("kind", kind.label(), "node", node, "id", id),
                Map.of("text", FieldValue.of(text)),
                timeNs);
    }
}
