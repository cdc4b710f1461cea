package io.github.switchover.jmeter.core;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads one line of line protocol; the counterpart of {@link PointFormat}. */
public final class PointParser {

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,19}");
    private static final Pattern FLOAT = Pattern.compile("-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]{1,3})?");
    private static final Set<String> TRUE = Set.of("t", "T", "true", "True", "TRUE");
    private static final Set<String> FALSE = Set.of("f", "F", "false", "False", "FALSE");

    private final String line;
    private int at;

    private PointParser(String line) {
        this.line = line;
    }

    /**
     * The point that a line holds. A line without its timestamp is refused: nothing here may be stamped on arrival.
     *
     * @throws IllegalArgumentException which says where, if it holds none
     */
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

    /** Up to the next special character; a backslash escapes only what is special after it. */
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
