package io.github.switchover.jmeter.core;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** One point; {@code timeNs} in nanoseconds since the epoch. Tags and fields keep their order. */
public record Point(String measurement, Map<String, String> tags, Map<String, FieldValue> fields, long timeNs) {

    public Point {
        tags = Collections.unmodifiableMap(new LinkedHashMap<>(tags));
        fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
    }

    public long timeUs() {
        return Units.usOfNs(timeNs);
    }

    /** Empty where it has no such tag. */
    public String tag(String name) {
        return tags.getOrDefault(name, "");
    }

    /** Empty where it has no such field of text. */
    public String text(String field) {
        return fields.get(field) instanceof FieldValue.Text text ? text.value() : "";
    }

    /** Null where it has no such field of numbers, whole or not. */
    public Double number(String field) {
        if (fields.get(field) instanceof FieldValue.Whole whole) {
            return (double) whole.value();
        }
        return fields.get(field) instanceof FieldValue.Decimal decimal ? (Double) decimal.value() : null;
    }

    /** Whether it is an event of that kind. */
    public boolean isEvent(EventKind kind) {
        return measurement.equals(Measurements.EVENT) && kind.label().equals(tags.get("kind"));
    }
}
