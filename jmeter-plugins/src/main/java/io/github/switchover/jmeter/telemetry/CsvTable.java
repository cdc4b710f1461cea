package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.SourceException;
import java.util.ArrayList;
import java.util.List;

/** Strict CSV, as Python's {@code csv.reader(strict=True)} takes it: a row may go over several lines in quotes. */
final class CsvTable {

    private static final int FIELD_LIMIT = 131_072;

    private enum CsvState {
        FIELD_START,
        FIELD,
        QUOTED,
        QUOTE_IN_QUOTED,
        ROW_END
    }

    private final List<List<String>> rows = new ArrayList<>();
    private final StringBuilder field = new StringBuilder();
    private List<String> row = new ArrayList<>();
    private CsvState at = CsvState.FIELD_START;

    /** @throws SourceException for what is no CSV */
    CsvTable(String[] lines, int first) {
        for (int i = first; i < lines.length; i++) {
            read(lines[i]);
        }
        if (at == CsvState.QUOTED) {
            throw refused("unexpected end of data");
        }
    }

    List<List<String>> rows() {
        return rows;
    }

    private void read(String line) {
        for (int i = 0; i < line.length(); i++) {
            take(line.charAt(i));
            if (field.length() > FIELD_LIMIT) {
                throw refused("field larger than field limit (" + FIELD_LIMIT + ")");
            }
        }
        if (at == CsvState.QUOTED) {
            return;
        }
        if (at != CsvState.FIELD_START || !row.isEmpty()) {
            endField();
        }
        rows.add(row);
        row = new ArrayList<>();
        at = CsvState.FIELD_START;
    }

    private void take(char c) {
        switch (at) {
            case FIELD_START -> {
                if (c == '"') {
                    at = CsvState.QUOTED;
                } else {
                    takeUnquoted(c);
                }
            }
            case FIELD -> takeUnquoted(c);
            case QUOTED -> {
                if (c == '"') {
                    at = CsvState.QUOTE_IN_QUOTED;
                } else {
                    field.append(c);
                }
            }
            case QUOTE_IN_QUOTED -> {
                if (c == '"') {
                    field.append(c);
                    at = CsvState.QUOTED;
                } else if (c == ',' || c == '\r') {
                    takeUnquoted(c);
                } else {
                    throw refused("',' expected after '\"'");
                }
            }
            case ROW_END -> {
                if (c != '\r') {
                    throw refused("new-line character seen in unquoted field");
                }
            }
        }
    }

    private void takeUnquoted(char c) {
        if (c == ',') {
            endField();
            at = CsvState.FIELD_START;
        } else if (c == '\r') {
            at = CsvState.ROW_END;
        } else {
            field.append(c);
            at = CsvState.FIELD;
        }
    }

    private void endField() {
        row.add(field.toString());
        field.setLength(0);
    }

    private static SourceException refused(String why) {
        return new SourceException("HAProxy's table cannot be read: " + why);
    }
}
