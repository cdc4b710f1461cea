package io.github.switchover.jmeter.view;

import java.awt.Color;

/**
 * A cell of a sheet.
 *
 * @param meter a bar instead of text; else null
 */
record Cell(String text, CellKind kind, Meter meter) {

    /** How it looks. */
    enum CellKind {
        TEXT,
        NUMBER,
        /** A number that should be 0. */
        BAD,
        WARN,
        QUIET,
        /** A number beside another. */
        NOTE
    }

    /** Shares between 0 and 1; null: unknown. */
    record Meter(Double whole, Double recent, Double expected, Color colour) {}

    static Cell text(String text) {
        return new Cell(text, CellKind.TEXT, null);
    }

    static Cell number(String text) {
        return new Cell(text, CellKind.NUMBER, null);
    }

    static Cell quiet(String text) {
        return new Cell(text, CellKind.QUIET, null);
    }

    static Cell note(String text) {
        return new Cell(text, CellKind.NOTE, null);
    }

    static Cell alarm(Long count, String text) {
        return new Cell(text, count != null && count != 0 ? CellKind.BAD : CellKind.NUMBER, null);
    }

    static Cell warn(Long count, String text) {
        return new Cell(text, count != null && count != 0 ? CellKind.WARN : CellKind.NUMBER, null);
    }

    static Cell meter(Meter meter) {
        return new Cell("", CellKind.TEXT, meter);
    }

    /** What is copied. */
    @Override
    public String toString() {
        return text;
    }
}
