package io.github.switchover.jmeter.view;

import java.awt.Component;
import java.awt.Dimension;
import java.awt.Font;
import java.awt.event.MouseEvent;
import java.util.List;
import javax.swing.JTable;
import javax.swing.JToolTip;
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

    /** A column of text that prefers so many letters holds sentences, and gives way to the others. */
    private static final int SENTENCE = 25;

    /** Letters that a column of sentences keeps where there is little room. */
    private static final int SENTENCE_KEEPS = 12;

    /** Letters that another one keeps at most: a name may be of any length. */
    private static final int NAME_KEEPS = 24;

    /**
     * A column.
     *
     * @param width preferred, in letters
     * @param number right-aligned
     */
    record Column(String title, int width, boolean number) {

        int keeps() {
            return width >= SENTENCE && !number ? SENTENCE_KEEPS : NAME_KEEPS;
        }
    }

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
        makeRoom();
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
        if (columns != null) {
            makeRoom();
        }
    }

    /** Where there is less room than the columns need it scrolls: a time without its end says nothing. */
    @Override
    public boolean getScrollableTracksViewportWidth() {
        return getParent() != null && getParent().getWidth() >= getMinimumSize().width;
    }

    /** The whole of a text that is cut off. */
    @Override
    public String getToolTipText(MouseEvent event) {
        int row = rowAtPoint(event.getPoint());
        int column = columnAtPoint(event.getPoint());
        if (row < 0 || column < 0) {
            return null;
        }
        boolean cut = width(row, column) > getColumnModel().getColumn(column).getWidth();
        return cut ? getValueAt(row, column).toString() : null;
    }

    /** As plain text, as in the cells. */
    @Override
    public JToolTip createToolTip() {
        JToolTip tip = new JToolTip();
        tip.putClientProperty(HTML_DISABLE, true);
        tip.setComponent(this);
        return tip;
    }

    private void makeColumns() {
        while (getColumnModel().getColumnCount() > 0) {
            getColumnModel().removeColumn(getColumnModel().getColumn(0));
        }
        for (int index = 0; index < columns.size(); index++) {
            TableColumn column = new TableColumn(index);
            column.setHeaderValue(columns.get(index).title());
            getColumnModel().addColumn(column);
        }
    }

    /** As much as the heading and the cells need, in the font that there is now. */
    private void makeRoom() {
        int letter = getFontMetrics(getFont()).charWidth('0');
        for (int index = 0; index < columns.size(); index++) {
            Column asked = columns.get(index);
            int preferred = (asked.width() + 1) * letter;
            int needed = Math.min(neededWidth(index), (asked.keeps() + 1) * letter);
            TableColumn column = getColumnModel().getColumn(index);
            column.setMinWidth(needed);
            column.setPreferredWidth(Math.max(preferred, needed));
        }
    }

    private int neededWidth(int index) {
        int widest = getTableHeader()
                .getDefaultRenderer()
                .getTableCellRendererComponent(this, columns.get(index).title(), false, false, -1, index)
                .getPreferredSize()
                .width;
        for (int row = 0; row < rows.size(); row++) {
            widest = Math.max(widest, width(row, index));
        }
        return widest;
    }

    private int width(int row, int column) {
        return prepareRenderer(cells, row, column).getPreferredSize().width;
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
