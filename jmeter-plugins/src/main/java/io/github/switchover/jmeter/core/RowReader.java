package io.github.switchover.jmeter.core;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Rows of CSV out of a file that may be damaged: a later gap quote must not swallow the rows behind it. Not thread-safe. */
final class RowReader {

    /** Lines that one row may span, through newlines in quoted fields. */
    static final int LINES_LIMIT = 200;

    private final Lines lines;
    private final int width;
    private final Ignored ignored;
    private final Deque<byte[]> waiting = new ArrayDeque<>();

    RowReader(Lines lines, int width, Ignored ignored) {
        this.lines = lines;
        this.width = width;
        this.ignored = ignored;
    }

    /** The next row of that width, or null. What is none is counted, and reading goes on with the line after it. */
    List<String> next() {
        for (byte[] line = nextLine(); line != null; line = nextLine()) {
            List<byte[]> taken = new ArrayList<>(1);
            taken.add(line);
            boolean open = closeQuotes(taken, hasOddQuotes(line));
            String text = text(taken);
            List<String> row = open ? null : CsvRow.split(text);
            if (row != null && row.size() == width) {
                return row;
            }
            if (!text.isEmpty()) {
                ignored.add(row != null ? "wrong number of columns" : "misplaced quotes");
            }
            for (int i = taken.size() - 1; i > 0; i--) {
                waiting.addFirst(taken.get(i));
            }
        }
        return null;
    }

    /** Takes lines until every quote has its partner; true if they do not come. */
    private boolean closeQuotes(List<byte[]> taken, boolean openAtFirst) {
        boolean open = openAtFirst;
        while (open && taken.size() <= LINES_LIMIT) {
            byte[] following = nextLine();
            if (following == null) {
                break;
            }
            taken.add(following);
            open = !hasOddQuotes(following);
        }
        return open;
    }

    private byte[] nextLine() {
        byte[] line = waiting.pollFirst();
        return line != null ? line : lines.next();
    }

    private static boolean hasOddQuotes(byte[] line) {
        boolean odd = false;
        for (byte b : line) {
            odd ^= b == '"';
        }
        return odd;
    }

    private static String text(List<byte[]> taken) {
        if (taken.size() == 1) {
            return withoutReturn(new String(taken.get(0), StandardCharsets.UTF_8));
        }
        ByteArrayOutputStream joined = new ByteArrayOutputStream();
        for (int i = 0; i < taken.size(); i++) {
            if (i > 0) {
                joined.write('\n');
            }
            joined.writeBytes(taken.get(i));
        }
        return withoutReturn(joined.toString(StandardCharsets.UTF_8));
    }

    private static String withoutReturn(String text) {
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }
}
