package io.github.switchover.jmeter.core;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes JSON byte for byte as Python's {@code json.dump(value, indent=2, ensure_ascii=False)} does, so that files of
 * both halves can be compared as they are. Libraries differ in how they print numbers.
 */
public final class JsonText {

    private static final String INDENT = "  ";

    private final StringBuilder text = new StringBuilder(1024);

    private JsonText() {}

    /** Of maps with text as keys, lists, {@link String}, {@link Long}, {@link Integer}, {@link Double}, {@link Boolean}, null. */
    public static String of(Object value) {
        JsonText writer = new JsonText();
        writer.append(value, "\n");
        return writer.text.toString();
    }

    private void append(Object value, String newline) {
        if (value == null) {
            text.append("null");
        } else if (value instanceof String string) {
            appendQuoted(string);
        } else if (value instanceof Long || value instanceof Integer || value instanceof Boolean) {
            text.append(value);
        } else if (value instanceof Double number) {
            appendNumber(number);
        } else if (value instanceof Map<?, ?> map) {
            appendMap(map, newline);
        } else if (value instanceof List<?> list) {
            appendList(list, newline);
        } else {
            throw new IllegalArgumentException("no JSON value: " + value.getClass());
        }
    }

    private void appendMap(Map<?, ?> map, String newline) {
        String inner = newline + INDENT;
        String separator = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            text.append(separator).append(inner);
            appendQuoted((String) entry.getKey());
            text.append(": ");
            append(entry.getValue(), inner);
            separator = ",";
        }
        text.append(map.isEmpty() ? "{}" : newline + '}');
    }

    private void appendList(List<?> list, String newline) {
        String inner = newline + INDENT;
        text.append('[');
        for (Iterator<?> entries = list.iterator(); entries.hasNext(); ) {
            text.append(inner);
            append(entries.next(), inner);
            text.append(entries.hasNext() ? "," : newline);
        }
        text.append(']');
    }

    private void appendNumber(double number) {
        if (Double.isFinite(number)) {
            text.append(Numbers.repr(number));
        } else {
            text.append(Double.isNaN(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
        }
    }

    private void appendQuoted(String string) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            appendEscaped(string, i);
        }
        text.append('"');
    }

    private void appendEscaped(String string, int at) {
        char c = string.charAt(at);
        switch (c) {
            case '"' -> text.append("\\\"");
            case '\\' -> text.append("\\\\");
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            case '\t' -> text.append("\\t");
            case '\f' -> text.append("\\f");
            case '\b' -> text.append("\\b");
            default -> {
                if (c < ' ' || isLoneSurrogate(string, at)) {
                    text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                } else {
                    text.append(c);
                }
            }
        }
    }

    /** Half a character cannot be written as UTF-8; its escape can. */
    private static boolean isLoneSurrogate(String string, int at) {
        char c = string.charAt(at);
        if (Character.isHighSurrogate(c)) {
            return at + 1 == string.length() || !Character.isLowSurrogate(string.charAt(at + 1));
        }
        return Character.isLowSurrogate(c) && (at == 0 || !Character.isHighSurrogate(string.charAt(at - 1)));
    }
}
