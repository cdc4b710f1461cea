package io.github.switchover.jmeter.view;

import java.awt.Color;
import java.awt.Component;
import java.awt.Font;
import java.awt.Graphics;
import javax.swing.BorderFactory;
import javax.swing.JTable;
import javax.swing.SwingConstants;
import javax.swing.table.DefaultTableCellRenderer;

/** Paints the cells of a sheet: plain text, or a bar. */
final class SheetCell extends DefaultTableCellRenderer {

    private static final long serialVersionUID = 1L;
    private static final int RECENT = 3;

    private transient Cell.Meter meter;

    SheetCell() {
        putClientProperty("html.disable", true);
    }

    @Override
    public Component getTableCellRendererComponent(
            JTable table, Object value, boolean selected, boolean focused, int row, int column) {
        super.getTableCellRendererComponent(table, value, selected, false, row, column);
        Cell cell = (Cell) value;
        meter = cell.meter();
        Palette palette = Palette.now();
        if (!selected) {
            setBackground(palette.surface().ground());
            setForeground(colour(cell.kind(), palette));
        }
        boolean bold = cell.kind() == Cell.CellKind.BAD || cell.kind() == Cell.CellKind.WARN;
        setFont(table.getFont().deriveFont(bold ? Font.BOLD : Font.PLAIN));
        setHorizontalAlignment(isNumber(cell.kind()) ? SwingConstants.RIGHT : SwingConstants.LEFT);
        setBorder(BorderFactory.createEmptyBorder(0, 4, 0, 4));
        setToolTipText(null);
        return this;
    }

    @Override
    protected void paintComponent(Graphics canvas) {
        super.paintComponent(canvas);
        if (meter == null) {
            return;
        }
        Palette palette = Palette.now();
        int left = 4;
        int width = getWidth() - 2 * left;
        int top = 3;
        int size = getHeight() - 2 * top;
        canvas.setColor(palette.surface().track());
        canvas.fillRect(left, top, width, size);
        canvas.setColor(meter.colour());
        canvas.fillRect(left, top, pixels(meter.whole(), width), size);
        canvas.setColor(palette.surface().quiet());
        canvas.fillRect(left, top + size - RECENT, pixels(meter.recent(), width), RECENT);
        if (meter.expected() != null) {
            canvas.setColor(palette.surface().text());
            canvas.fillRect(left + pixels(meter.expected(), width) - 1, top - 2, 2, size + 4);
        }
    }

    private static int pixels(Double share, int width) {
        return share == null ? 0 : (int) Math.round(share * width);
    }

    private static boolean isNumber(Cell.CellKind kind) {
        return switch (kind) {
            case NUMBER, NOTE, BAD, WARN -> true;
            case TEXT, QUIET -> false;
        };
    }

    private static Color colour(Cell.CellKind kind, Palette palette) {
        return switch (kind) {
            case TEXT, NUMBER -> palette.surface().text();
            case QUIET, NOTE -> palette.surface().quiet();
            case BAD -> palette.events().fault();
            case WARN -> palette.outcomes().late();
        };
    }
}
