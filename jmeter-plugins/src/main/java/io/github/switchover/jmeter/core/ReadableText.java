package io.github.switchover.jmeter.core;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Formats untrusted values for messages, always in one line. */
public final class ReadableText {

    private ReadableText() {}

    /** Returns a value of a file; a text is quoted. */
    public static String of(Object value) {
        return value instanceof String text ? quoted(text) : String.valueOf(value);
    }

    public static String kindOf(Object value) {
        if (value instanceof String) {
            return "a text";
        }
        if (value instanceof Boolean) {
            return "true or false";
        }
        if (value instanceof Number) {
            return "a number";
        }
        if (value instanceof List) {
            return "a list";
        }
        return value instanceof Map ? "a table" : "a date or time";
    }

    /**
     * Returns the text in single quotes, or in double quotes if the text contains a single quote. Unprintable
     * characters are shown as numbers.
     */
    public static String quoted(String text) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder quoted = new StringBuilder().append(quote);
        text.codePoints().forEach(c -> append(quoted, c));
        return quoted.append(quote).toString();
    }

    public static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    private static void append(StringBuilder text, int c) {
        switch (c) {
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            case '\t' -> text.append("\\t");
            default -> {
                if (isPrintable(c)) {
                    text.appendCodePoint(c);
                } else {
                    text.append(String.format(Locale.ROOT, c <= 0xff ? "\\x%02x" : "\\u%04x", c));
                }
            }
        }
    }
}
