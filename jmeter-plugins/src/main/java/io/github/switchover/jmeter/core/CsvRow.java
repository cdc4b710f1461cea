package io.github.switchover.jmeter.core;

import java.util.ArrayList;
import java.util.List;

/** One row of CSV, read strictly: a quote stands at the begin and the end of a field, or twice within one. */
public final class CsvRow {

    /** Characters of one field of a row with quotes. */
    private static final int FIELD_LIMIT = 131_072;

    private CsvRow() {}

    /** The fields of a row; null if its quotes are not right. */
    public static List<String> split(String text) {
        boolean hasQuotes = text.indexOf('"') >= 0;
        int end = text.length();
        while (hasQuotes && end > 0 && isNewline(text.charAt(end - 1))) {
            end--;
        }
        List<String> fields = new ArrayList<>(32);
        int at = 0;
        while (true) {
            boolean isQuoted = at < end && text.charAt(at) == '"';
            int next = isQuoted ? closingQuote(text, at, end) + 1 : comma(text, at, end);
            if (isQuoted && (next == 0 || (next < end && text.charAt(next) != ','))) {
                return null;
            }
            String field = isQuoted ? text.substring(at + 1, next - 1).replace("\"\"", "\"") : text.substring(at, next);
            if (hasQuotes && (isTooLong(field) || (!isQuoted && field.chars().anyMatch(CsvRow::isNewline)))) {
                return null;
            }
            fields.add(field);
            if (next >= end) {
                return fields;
            }
            at = next + 1;
        }
    }

    /** -1: there is none. */
    private static int closingQuote(String text, int opening, int end) {
        for (int at = text.indexOf('"', opening + 1); at >= 0 && at < end; at = text.indexOf('"', at + 2)) {
            if (at + 1 >= end || text.charAt(at + 1) != '"') {
                return at;
            }
        }
        return -1;
    }

    private static int comma(String text, int from, int end) {
        int comma = text.indexOf(',', from);
        return comma < 0 || comma > end ? end : comma;
    }

    private static boolean isTooLong(String field) {
        return field.length() > FIELD_LIMIT && field.codePointCount(0, field.length()) > FIELD_LIMIT;
    }

    private static boolean isNewline(int c) {
        return c == '\n' || c == '\r';
    }
}
