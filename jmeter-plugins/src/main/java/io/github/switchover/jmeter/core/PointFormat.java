package io.github.switchover.jmeter.core;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes line protocol: one point on one line, the same bytes as Python's {@code points.py} for the same input.
 *
 * <p>The grammar is InfluxDB's:
 * https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/. Two things go beyond it, so that
 * a journal stays a file of lines: control characters are removed from names and tag values, and so is a backslash at
 * their end, which line protocol cannot carry; and in a string field newline and carriage return are written as
 * {@code \n} and {@code \r}, which InfluxDB keeps as two characters and {@link PointParser} turns back.
 */
public final class PointFormat {

    /** The order of UTF-8, and of Python's strings; {@code String.compareTo} differs beyond the first plane. */
    public static final Comparator<String> CODE_POINT_ORDER =
            Comparator.comparing(text -> text.codePoints().toArray(), Arrays::compare);

    static final String MEASUREMENT_SPECIAL = ", ";
    static final String NAME_SPECIAL = ",= ";

    private static final int DECIMALS = 3;

    private PointFormat() {}

    /**
     * The point's line, without a newline; empty if no field is left to write.
     *
     * <p>Tags are sorted by key, empty ones dropped; fields keep the order of their map.
     */
    public static String format(
            String measurement, Map<String, String> tags, Map<String, FieldValue> fields, long timeNs) {
        String written = formatFields(fields);
        return written.isEmpty() ? "" : formatSeries(measurement, tags) + ' ' + written + ' ' + timeNs;
    }

    /** Measurement and tags: what identifies a series, and the first part of its points' lines. */
    public static String formatSeries(String measurement, Map<String, String> tags) {
        String name = cleanName(measurement);
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a point needs a measurement");
        }
        Map<String, String> sorted = new TreeMap<>(CODE_POINT_ORDER);
        tags.forEach((key, value) -> sorted.put(cleanName(key), cleanName(value)));
        StringBuilder line = new StringBuilder(128);
        appendEscaped(line, name, MEASUREMENT_SPECIAL);
        sorted.forEach((key, value) -> {
            if (!key.isEmpty() && !value.isEmpty()) {
                line.append(',');
                appendEscaped(line, key, NAME_SPECIAL);
                line.append('=');
                appendEscaped(line, value, NAME_SPECIAL);
            }
        });
        return line.toString();
    }

    public static String formatFields(Map<String, FieldValue> fields) {
        StringBuilder line = new StringBuilder(256);
        fields.forEach((key, value) -> {
            String name = cleanName(key);
            if (!name.isEmpty() && isWritable(value)) {
                if (!line.isEmpty()) {
                    line.append(',');
                }
                appendEscaped(line, name, NAME_SPECIAL);
                line.append('=');
                appendValue(line, value);
            }
        });
        return line.toString();
    }

    /** The text as a name or tag value can carry it: no control characters, no backslash at the end. */
    public static String cleanName(String text) {
        StringBuilder cleaned = new StringBuilder(text.length());
        text.chars().filter(c -> !Character.isISOControl(c)).forEach(c -> cleaned.append((char) c));
        int end = cleaned.length();
        while (end > 0 && cleaned.charAt(end - 1) == '\\') {
            end--;
        }
        return cleaned.substring(0, end);
    }

    private static boolean isWritable(FieldValue value) {
        return !(value instanceof FieldValue.Decimal decimal) || Double.isFinite(decimal.value());
    }

    private static void appendValue(StringBuilder line, FieldValue value) {
        if (value instanceof FieldValue.Whole whole) {
            line.append(whole.value()).append('i');
        } else if (value instanceof FieldValue.Decimal decimal) {
            // Half to even from the exact binary value, as Python rounds; String.format starts from the shortest
            // decimal form instead and makes 1.0005 into 1.001.
            line.append(new BigDecimal(decimal.value())
                    .setScale(DECIMALS, RoundingMode.HALF_EVEN)
                    .toPlainString());
        } else if (value instanceof FieldValue.Flag flag) {
            line.append(flag.value());
        } else if (value instanceof FieldValue.Text text) {
            appendQuoted(line, text.value());
        }
    }

    private static void appendQuoted(StringBuilder line, String text) {
        line.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '\\', '"' -> line.append('\\').append(c);
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                default -> line.append(c);
            }
        }
        line.append('"');
    }

    private static void appendEscaped(StringBuilder line, String text, String special) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (special.indexOf(c) >= 0) {
                line.append('\\');
            }
            line.append(c);
        }
    }
}
