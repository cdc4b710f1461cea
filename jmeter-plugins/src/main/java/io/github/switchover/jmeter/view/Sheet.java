package io.github.switchover.jmeter.view;

import java.awt.Component;
import java.awt.Dimension;
import java.awt.Font;
import java.util.List;
import javax.swing.JTable;
import javax.swing.ListSelectionModel;
import javax.swing.SwingConstants;
import javax.swing.table.AbstractTableModel;
import javax.swing.table.DefaultTableCellRenderer;
import javax.swing.table.TableCellRenderer;
import javax.swing.table.TableColumn;

/** A table of cells, which can be selected and copied, and which is painted anew only where it has changed. */
final class Sheet extends JTable {

    private static final long serialVersionUID = 1L;
    private static final String HTML_DISABLE = "html.disable";

    /**
     * A column.
     *
     * @param width preferred, in letters
     * @param number right-aligned
     */
    record Column(String title, int width, boolean number) {}

    private final transient SheetCell cells = new SheetCell();
    private transient List<Column> columns = List.of();
    private transient List<List<Cell>> rows = List.of();
    private final transient Rows content = new Rows();

    Sheet() {
        setModel(content);
        setAutoCreateColumnsFromModel(false);
        setShowGrid(false);
        setIntercellSpacing(new Dimension(0, 0));
        setFillsViewportHeight(true);
        setSelectionMode(ListSelectionModel.MULTIPLE_INTERVAL_SELECTION);
        setAutoResizeMode(AUTO_RESIZE_SUBSEQUENT_COLUMNS);
        getTableHeader().setReorderingAllowed(false);
        getTableHeader().setDefaultRenderer(new Heading(getTableHeader().getDefaultRenderer()));
        setRowHeight(getFontMetrics(getFont()).getHeight() + 2);
    }

    void show(List<Column> asked, List<List<Cell>> cellsOfRows) {
        boolean same = asked.equals(columns);
        if (same && cellsOfRows.equals(rows)) {
            return;
        }
        int before = rows.size();
        columns = List.copyOf(asked);
        rows = List.copyOf(cellsOfRows);
        if (!same) {
            makeColumns();
            content.fireTableStructureChanged();
        } else if (before != rows.size()) {
            content.fireTableDataChanged();
        } else {
            content.fireTableRowsUpdated(0, rows.size() - 1);
        }
    }

    /** The text of a row's cells. */
    List<String> rowText(int row) {
        return rows.get(row).stream().map(Cell::text).toList();
    }

    @Override
    public TableCellRenderer getCellRenderer(int row, int column) {
        return cells;
    }

    @Override
    public void updateUI() {
        super.updateUI();
        setRowHeight(getFontMetrics(getFont()).getHeight() + 2);
    }

    private void makeColumns() {
        while (getColumnModel().getColumnCount() > 0) {
            getColumnModel().removeColumn(getColumnModel().getColumn(0));
        }
        int letter = getFontMetrics(getFont()).charWidth('0');
        for (int index = 0; index < columns.size(); index++) {
            TableColumn column = new TableColumn(index, (columns.get(index).width() + 1) * letter);
            column.setHeaderValue(columns.get(index).title());
            getColumnModel().addColumn(column);
        }
    }

    private final class Rows extends AbstractTableModel {

        private static final long serialVersionUID = 1L;

        @Override
        public int getRowCount() {
            return rows.size();
        }

        @Override
        public int getColumnCount() {
            return columns.size();
        }

        @Override
        public Object getValueAt(int row, int column) {
            List<Cell> cellsOfRow = rows.get(row);
            return column < cellsOfRow.size() ? cellsOfRow.get(column) : Cell.text("");
        }
    }

    /** The look and feel's own heading, with titles over their columns and as plain text. */
    private final class Heading implements TableCellRenderer {

        private final TableCellRenderer own;

        Heading(TableCellRenderer own) {
            this.own = own;
        }

        @Override
        public Component getTableCellRendererComponent(
                JTable table, Object value, boolean selected, boolean focused, int row, int column) {
            Component made = own.getTableCellRendererComponent(table, value, selected, focused, row, column);
            if (made instanceof DefaultTableCellRenderer label) {
                label.putClientProperty(HTML_DISABLE, true);
                label.setText(String.valueOf(value));
                label.setHorizontalAlignment(columns.get(column).number() ? SwingConstants.RIGHT : SwingConstants.LEFT);
                label.setFont(
                        table.getFont().deriveFont(Font.PLAIN, table.getFont().getSize2D() - 1));
            }
            return made;
        }
    }
}
