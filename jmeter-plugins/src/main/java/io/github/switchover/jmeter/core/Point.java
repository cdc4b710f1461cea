package io.github.switchover.jmeter.core;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** One point; {@code timeNs} in nanoseconds since the epoch. Fields keep their order. */
public record Point(String measurement, Map<String, String> tags, Map<String, FieldValue> fields, long timeNs) {

    public Point {
        tags = Map.copyOf(tags);
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }
}
