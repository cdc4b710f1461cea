package io.github.switchover.jmeter.core;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One point of a journal. {@code timeNs}: nanoseconds since the epoch. Tags and fields keep their order. */
public record Point(String measurement, Map<String, String> tags, Map<String, FieldValue> fields, long timeNs) {

    public long timeUs() {
        return Units.usOfNs(timeNs);
    }

    /** Returns the value of a tag; empty if the point does not have the tag. */
    public String tag(String name) {
        return tags.getOrDefault(name, "");
    }

    /** Returns the text of a field; empty if the point does not have this text field. */
    public String text(String field) {
        return fields.get(field) instanceof FieldValue.Text text ? text.value() : "";
    }

    /** Returns the number of a field. */
    public @Nullable Double number(String field) {
        if (fields.get(field) instanceof FieldValue.Whole whole) {
            return (double) whole.value();
        }
        return fields.get(field) instanceof FieldValue.Decimal decimal ? decimal.value() : null;
    }

    public boolean isEvent(EventKind kind) {
        return measurement.equals(Measurements.EVENT) && kind.label().equals(tags.get("kind"));
    }

    /** The kind of an event in a run; {@code label()} is the tag {@code kind} of {@code switchover_event}. */
    public enum EventKind implements Labelled {
        START,
        FAULT,
        VRRP,
        HEAL,
        CHANGE,
        UNDO,
        END,
        WARNING
    }

    /** The measurements that the JMeter plugin writes or reads. docs/metrics.md describes their tags and fields. */
    public static final class Measurements {

        public static final String REQUESTS = "switchover_requests";
        public static final String PROBES = "switchover_probes";
        public static final String USERS = "switchover_users";
        public static final String HAPROXY = "switchover_haproxy";
        public static final String HAPROXY_INFO = "switchover_haproxy_info";
        public static final String NGINX = "switchover_nginx";
        public static final String VRRP = "switchover_vrrp";
        public static final String PROCESS = "switchover_process";
        public static final String MACHINE = "switchover_machine";
        public static final String SCRAPE = "switchover_scrape";
        public static final String EVENT = "switchover_event";
    }

    /** The value of a field. InfluxDB distinguishes these four types. */
    public sealed interface FieldValue {

        /** Written with the suffix {@code i}. */
        record Whole(long value) implements FieldValue {}

        /** Written with three decimals, without an exponent. NaN and infinities are not written. */
        record Decimal(double value) implements FieldValue {}

        /** Written in quotes. */
        record Text(String value) implements FieldValue {}

        /** Written as {@code true} or {@code false}. */
        record Flag(boolean value) implements FieldValue {}

        static FieldValue of(Object value) {
            if (value instanceof String text) {
                return new Text(text);
            }
            if (value instanceof Boolean flag) {
                return new Flag(flag);
            }
            return value instanceof Double number ? new Decimal(number) : new Whole(((Number) value).longValue());
        }

        /** Makes fields from alternating names and values, and keeps their order. Omits fields whose value is null. */
        static Map<String, FieldValue> map(@Nullable Object... turns) {
            Map<String, FieldValue> fields = new LinkedHashMap<>();
            for (int at = 0; at < turns.length; at += 2) {
                if (turns[at + 1] != null) {
                    fields.put((String) turns[at], of(turns[at + 1]));
                }
            }
            return fields;
        }

        /** Makes whole-number fields, and keeps their order. */
        static Map<String, FieldValue> ofEach(Map<String, Long> numbers) {
            Map<String, FieldValue> fields = new LinkedHashMap<>();
            numbers.forEach((name, number) -> fields.put(name, of(number)));
            return fields;
        }
    }

    /** Receives points from any thread. */
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
}
