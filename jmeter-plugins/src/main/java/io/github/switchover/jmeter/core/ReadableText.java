package io.github.switchover.jmeter.core;

import java.util.Locale;

/** Formats untrusted values for messages, always in one line. */
public final class ReadableText {

    /** Returns the text in quotes, with unprintable characters as numbers, as Python's {@code repr()} does. */
    public static String quoted(String text) {
        char quote = text.indexOf('\'') >= 0 && text.indexOf('"') < 0 ? '"' : '\'';
        StringBuilder quoted = new StringBuilder().append(quote);
        text.codePoints().forEach(c -> append(quoted, c, quote));
        return quoted.append(quote).toString();
    }

    /** Returns the text before the first {@code end}, or the whole text without an {@code end}. */
    public static String before(String text, char end) {
        int at = text.indexOf(end);
        return at < 0 ? text : text.substring(0, at);
    }

    /** Returns the text with unprintable characters replaced. */
    public static String printable(String text, char substitute) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(c -> shown.appendCodePoint(isPrintable(c) ? c : substitute));
        return shown.toString();
    }

    private static boolean isPrintable(int c) {
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

    private static void append(StringBuilder text, int c, char quote) {
        switch (c) {
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            case '\t' -> text.append("\\t");
            default -> {
                if (c == '\\' || c == quote) {
                    text.append('\\').appendCodePoint(c);
                } else if (isPrintable(c)) {
                    text.appendCodePoint(c);
                } else {
                    text.append(
                            String.format(Locale.ROOT, c <= 0xff ? "\\x%02x" : c <= 0xffff ? "\\u%04x" : "\\U%08x", c));
                }
            }
        }
    }
}
