package io.github.switchover.jmeter.core;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Values as they stand in a complaint, so that both halves complain in the same words: Python's. */
public final class Repr {

    private Repr() {}

    /** The value as its reader wrote it; text in quotes, on one line whatever it holds. */
    public static String of(Object value) {
        if (value == null) {
            return "None";
        }
        if (value instanceof String text) {
            return quoted(text);
        }
        if (value instanceof Boolean flag) {
            return flag ? "True" : "False";
        }
        if (value instanceof Double number) {
            return Numbers.repr(number);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Repr::of).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> of(entry.getKey()) + ": " + of(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        return String.valueOf(value);
    }

    /** What kind of value it is. */
    public static String typeOf(Object value) {
        if (value instanceof String) {
            return "str";
        }
        if (value instanceof Boolean) {
            return "bool";
        }
        if (value instanceof Long) {
            return "int";
        }
        if (value instanceof Double) {
            return "float";
        }
        if (value instanceof List) {
            return "list";
        }
        if (value instanceof Map) {
            return "dict";
        }
        return switch (value.getClass().getSimpleName()) {
            case "LocalDate" -> "date";
            case "LocalTime" -> "time";
            default -> "datetime";
        };
    }

    /** In single quotes, or in double ones where it holds single ones only. */
    public static String quoted(String text) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder quoted = new StringBuilder().append(quote);
        text.codePoints().forEach(c -> appendEscaped(quoted, c, quote));
        return quoted.append(quote).toString();
    }

    private static void appendEscaped(StringBuilder text, int c, char quote) {
        switch (c) {
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            case '\t' -> text.append("\\t");
            case '\\' -> text.append("\\\\");
            default -> {
                if (c == quote) {
                    text.append('\\').append(quote);
                } else if (isPrintable(c)) {
                    text.appendCodePoint(c);
                } else {
                    String form = c <= 0xff ? "\\x%02x" : c <= 0xffff ? "\\u%04x" : "\\U%08x";
                    text.append(String.format(Locale.ROOT, form, c));
                }
            }
        }
    }

    /** Whether Python would print the character as it is. */
    public static boolean isPrintable(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> c == ' ';
            default -> true;
        };
    }
}
