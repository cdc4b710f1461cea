package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Writes line protocol, one point per line, with the same bytes as Python's {@code points.py}.
 *
 * <p>The grammar is InfluxDB's: https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/. So
 * that each point is one line, control characters, and backslashes at the end, are removed from names and tag values;
 * line breaks in a string field are written as {@code \n} and {@code \r}, which {@link PointParser} converts back.
 */
public final class PointFormat {

    /** The order of UTF-8, and of Python's strings. {@code String.compareTo} differs for characters above U+FFFF. */
    public static final Comparator<String> CODE_POINT_ORDER =
            Comparator.comparing(text -> text.codePoints().toArray(), Arrays::compare);

    static final String MEASUREMENT_SPECIAL = ", ";
    static final String NAME_SPECIAL = ",= ";

    private static final int DECIMALS = 3;

    /** Returns the line of a point: tags sorted by key, without empty tags; empty if no field can be written. */
    public static String format(
            String measurement, Map<String, String> tags, Map<String, FieldValue> fields, long timeNs) {
        String written = formatFields(fields);
        return written.isEmpty() ? "" : formatSeries(measurement, tags) + ' ' + written + ' ' + timeNs;
    }

    /** Returns measurement and tags, which identify a series, and with which each of its lines starts. */
    public static String formatSeries(String measurement, Map<String, String> tags) {
        String name = cleanName(measurement);
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a point must have a measurement");
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

    /** Removes from a name or tag value what it cannot contain: control characters, and backslashes at the end. */
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
            // Half to even from the exact binary value, as Python rounds. String.format starts from the shortest
            // decimal form instead, so it turns 1.0005 into 1.001.
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

    /** Reads one line of line protocol; the counterpart of {@link PointFormat}. */
    public static final class PointParser {

        private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,19}");
        private static final Pattern FLOAT = Pattern.compile("-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?");
        private static final Set<String> TRUE = Set.of("t", "T", "true", "True", "TRUE");
        private static final Set<String> FALSE = Set.of("f", "F", "false", "False", "FALSE");

        private final String line;
        private int at;

        private PointParser(String line) {
            this.line = line;
        }

        /** Returns the point of a line with a timestamp. Throws IllegalArgumentException with the position. */
        public static Point parse(String line) {
            return new PointParser(line).point();
        }

        private Point point() {
            String measurement = name(PointFormat.MEASUREMENT_SPECIAL, "a measurement");
            Map<String, String> tags = new LinkedHashMap<>();
            while (take(',')) {
                String key = key();
                tags.put(key, name(PointFormat.NAME_SPECIAL, "a tag value"));
            }
            Map<String, FieldValue> fields = new LinkedHashMap<>();
            for (char separator = ' '; take(separator); separator = ',') {
                String key = key();
                fields.put(FormerNames.FIELDS.getOrDefault(key, key), value());
            }
            if (fields.isEmpty()
                    || !take(' ')
                    || !INTEGER.matcher(line.substring(at)).matches()) {
                throw expected("fields and a timestamp");
            }
            return new Point(measurement, tags, fields, Long.parseLong(line.substring(at)));
        }

        private boolean take(char wanted) {
            if (at < line.length() && line.charAt(at) == wanted) {
                at++;
                return true;
            }
            return false;
        }

        private String key() {
            String key = name(PointFormat.NAME_SPECIAL, "key=value");
            if (!take('=')) {
                throw expected("key=value");
            }
            return key;
        }

        /** The text up to the next special character. A backslash escapes only a special character after it. */
        private String name(String special, String what) {
            int start = at;
            StringBuilder name = new StringBuilder();
            while (at < line.length() && special.indexOf(line.charAt(at)) < 0) {
                if (line.charAt(at) == '\\' && at + 1 < line.length() && special.indexOf(line.charAt(at + 1)) >= 0) {
                    at++;
                }
                name.append(line.charAt(at++));
            }
            if (at == start) {
                throw expected(what);
            }
            return name.toString();
        }

        private FieldValue value() {
            if (take('"')) {
                return FieldValue.of(string());
            }
            int start = at;
            while (at < line.length() && ", \"".indexOf(line.charAt(at)) < 0) {
                at++;
            }
            String text = line.substring(start, at);
            if (text.endsWith("i")) {
                String digits = text.substring(0, text.length() - 1);
                if (INTEGER.matcher(digits).matches()) {
                    return FieldValue.of(Long.parseLong(digits));
                }
            }
            if (FLOAT.matcher(text).matches() && Double.isFinite(Double.parseDouble(text))) {
                return FieldValue.of(Double.parseDouble(text));
            }
            if (TRUE.contains(text) || FALSE.contains(text)) {
                return FieldValue.of(TRUE.contains(text));
            }
            throw expected("a field value");
        }

        private String string() {
            StringBuilder text = new StringBuilder();
            while (at < line.length()) {
                char c = line.charAt(at++);
                if (c == '"') {
                    return text.toString();
                }
                if (c != '\\') {
                    text.append(c);
                } else if (at < line.length()) {
                    appendUnescaped(text, line.charAt(at++));
                }
            }
            throw expected("a closing quote");
        }

        private static void appendUnescaped(StringBuilder text, char escaped) {
            switch (escaped) {
                case '\\', '"' -> text.append(escaped);
                case 'n' -> text.append('\n');
                case 'r' -> text.append('\r');
                default -> text.append('\\').append(escaped);
            }
        }

        private IllegalArgumentException expected(String what) {
            return new IllegalArgumentException(what + " expected at column " + (at + 1));
        }
    }
}
