package io.github.switchover.jmeter.core;

import java.util.LinkedHashMap;
import java.util.Map;

/** The value of a field; InfluxDB keeps the four types apart. */
public sealed interface FieldValue {

    /** Written with the suffix {@code i}. */
    record Whole(long value) implements FieldValue {}

    /** Written with three decimals and no exponent; NaN and infinities are not written. */
    record Decimal(double value) implements FieldValue {}

    /** Written in quotes. */
    record Text(String value) implements FieldValue {}

    /** Written as {@code true} or {@code false}. */
    record Flag(boolean value) implements FieldValue {}

    static FieldValue of(long value) {
        return new Whole(value);
    }

    static FieldValue of(double value) {
        return new Decimal(value);
    }

    static FieldValue of(String value) {
        return new Text(value);
    }

    static FieldValue of(boolean value) {
        return new Flag(value);
    }

    /** Whole numbers by their names, in their order. */
    static Map<String, FieldValue> ofEach(Map<String, Long> numbers) {
        Map<String, FieldValue> fields = new LinkedHashMap<>();
        numbers.forEach((name, number) -> fields.put(name, of(number)));
        return fields;
    }
}
