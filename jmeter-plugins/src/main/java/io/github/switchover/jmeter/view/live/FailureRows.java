package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.CsvRow;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Counts the rows of sample logs that failed, by kind: traffic, which is counted by the second, does not tell it. */
final class FailureRows {

    private static final int KINDS = 30;

    /** Lines that one row may span: what an assertion says of an answer has newlines in it. */
    private static final int LINES = 200;

    /** What every row of ours that failed holds, and few others do: rows without it are not taken apart. */
    private static final String FAILED = ",false,";

    private final Map<String, Places> byFile = new HashMap<>();
    private final Map<String, Long> byKind = new TreeMap<>();

    /** The lines of a row whose last quote is open, by file. */
    private final Map<String, List<String>> openRows = new HashMap<>();

    /** Where the columns of a file stand. */
    private record Places(int columns, int success, int error) {}

    /** A line of a file, the first of which names its columns. */
    void read(String file, String line) {
        Places places = byFile.get(file);
        if (places == null) {
            byFile.put(file, places(CsvRow.split(line)));
            return;
        }
        String row = row(file, line);
        if (row != null && places.success >= 0 && row.contains(FAILED)) {
            count(CsvRow.split(row), places);
        }
    }

    /** The row that a line ends; null: it goes on. */
    private String row(String file, String line) {
        List<String> lines = openRows.get(file);
        boolean isOpen = hasOddQuotes(line) != (lines != null);
        if (lines == null && !isOpen) {
            return line;
        }
        if (lines == null) {
            lines = new ArrayList<>();
            openRows.put(file, lines);
        }
        lines.add(line);
        if (isOpen && lines.size() < LINES) {
            return null;
        }
        openRows.remove(file);
        return String.join("\n", lines);
    }

    private static boolean hasOddQuotes(String line) {
        boolean odd = false;
        for (int at = line.indexOf('"'); at >= 0; at = line.indexOf('"', at + 1)) {
            odd = !odd;
        }
        return odd;
    }

    Map<String, Long> byKind() {
        return Map.copyOf(byKind);
    }

    void clear() {
        byKind.clear();
    }

    /** Those that the client could not send say nothing about the balancer. */
    private void count(List<String> row, Places places) {
        if (row == null
                || row.size() != places.columns
                || !row.get(places.success).equals("false")) {
            return;
        }
        String error = places.error < 0 ? "" : row.get(places.error);
        String kind = error.isEmpty() ? "unknown" : error;
        if (!kind.equals("generator") && (byKind.containsKey(kind) || byKind.size() < KINDS)) {
            byKind.merge(kind, 1L, Long::sum);
        }
    }

    private static Places places(List<String> names) {
        return names == null
                ? new Places(0, -1, -1)
                : new Places(names.size(), names.indexOf("success"), names.indexOf("error"));
    }
}
