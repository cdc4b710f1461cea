package io.github.switchover.jmeter.core;

import java.util.ArrayList;
import java.util.List;

/** One row of CSV, read strictly: a quote stands at the begin and the end of a field, or twice within one. */
public final class CsvRow {

    /** Characters of one field of a row with quotes. */
    private static final int FIELD_LIMIT = 131_072;

    private enum State {
        START,
        PLAIN,
        QUOTED,
        QUOTE_IN_QUOTED,
        ENDED
    }

    private final List<String> fields = new ArrayList<>();
    private final StringBuilder field = new StringBuilder();
    private State state = State.START;
    private int characters;

    private CsvRow() {}

    /** The fields of a row; null if its quotes are not right. */
    public static List<String> split(String text) {
        if (text.indexOf('"') < 0) {
            return splitPlain(text);
        }
        CsvRow row = new CsvRow();
        for (int i = 0; i < text.length(); i++) {
            if (!row.take(text.charAt(i))) {
                return null;
            }
        }
        return row.end();
    }

    private static List<String> splitPlain(String text) {
        List<String> fields = new ArrayList<>(32);
        int start = 0;
        for (int comma = text.indexOf(','); comma >= 0; comma = text.indexOf(',', start)) {
            fields.add(text.substring(start, comma));
            start = comma + 1;
        }
        fields.add(text.substring(start));
        return fields;
    }

    /** False if no row goes on like that. */
    private boolean take(char c) {
        return switch (state) {
            case START, PLAIN -> takePlain(c);
            case QUOTED -> takeQuoted(c);
            case QUOTE_IN_QUOTED -> takeAfterQuote(c);
            case ENDED -> c == '\n' || c == '\r';
        };
    }

    private boolean takePlain(char c) {
        if (c == '"' && state == State.START) {
            state = State.QUOTED;
            return true;
        }
        return endsField(c) || add(c, State.PLAIN);
    }

    private boolean takeQuoted(char c) {
        if (c == '"') {
            state = State.QUOTE_IN_QUOTED;
            return true;
        }
        return add(c, State.QUOTED);
    }

    private boolean takeAfterQuote(char c) {
        return c == '"' ? add(c, State.QUOTED) : endsField(c);
    }

    private boolean endsField(char c) {
        boolean endsRow = c == '\n' || c == '\r';
        if (c != ',' && !endsRow) {
            return false;
        }
        save();
        state = endsRow ? State.ENDED : State.START;
        return true;
    }

    private boolean add(char c, State next) {
        if (!Character.isLowSurrogate(c) && ++characters > FIELD_LIMIT) {
            return false;
        }
        field.append(c);
        state = next;
        return true;
    }

    private void save() {
        fields.add(field.toString());
        field.setLength(0);
        characters = 0;
    }

    private List<String> end() {
        if (state == State.QUOTED) {
            return null;
        }
        if (state != State.ENDED) {
            save();
        }
        return fields;
    }
}
