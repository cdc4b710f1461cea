package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.view.live.LiveTraffic.Share;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import java.awt.Component;
import java.util.List;
import java.util.Optional;
import javax.swing.JTable;
import javax.swing.SwingConstants;
import javax.swing.table.DefaultTableCellRenderer;
import javax.swing.table.DefaultTableModel;

/** Who answered how much: of the whole run, and of its last seconds. */
final class SharesTable extends JTable {

    private static final long serialVersionUID = 1L;
    private static final String[] COLUMNS = {"who answered", "all", "last 10 s", "answers"};

    /** Names of each kind that are shown. */
    private static final int NAMES = 60;

    private transient List<List<Share>> shown = List.of();

    SharesTable() {
        super(new Rows());
        setShowGrid(false);
        setFillsViewportHeight(true);
        setDefaultRenderer(Object.class, new PlainCell());
        getTableHeader().setReorderingAllowed(false);
    }

    @Override
    public void updateUI() {
        super.updateUI();
        setRowHeight(getFontMetrics(getFont()).getHeight() + 2);
    }

    void show(Optional<RunSnapshot> snapshot) {
        List<List<Share>> all = snapshot.map(RunSnapshot::traffic)
                .map(traffic -> List.of(
                        traffic.backends(),
                        traffic.balancers(),
                        traffic.answeredBy().stream()
                                .filter(share -> !share.name().equals("backend"))
                                .map(share -> share.name().equals("none")
                                        ? new Share("no answer", share.count(), share.share(), share.recent())
                                        : share)
                                .toList()))
                .orElse(List.of());
        if (all.equals(shown)) {
            return;
        }
        shown = all;
        Rows rows = (Rows) getModel();
        rows.setRowCount(0);
        for (List<Share> shares : all) {
            shares.stream()
                    .limit(NAMES)
                    .forEach(share -> rows.addRow(new Object[] {
                        share.name(), percent(share.share()), percent(share.recent()), Numbers.grouped(share.count())
                    }));
        }
    }

    private static String percent(double share) {
        return Numbers.fixed(share * 100, 1) + " %";
    }

    private static final class Rows extends DefaultTableModel {

        private static final long serialVersionUID = 1L;

        Rows() {
            super(COLUMNS, 0);
        }

        @Override
        public boolean isCellEditable(int row, int column) {
            return false;
        }
    }

    /** Names come from the network: they are shown as plain text. */
    private static final class PlainCell extends DefaultTableCellRenderer {

        private static final long serialVersionUID = 1L;

        PlainCell() {
            putClientProperty("html.disable", true);
        }

        @Override
        public Component getTableCellRendererComponent(
                JTable table, Object value, boolean selected, boolean focused, int row, int column) {
            setHorizontalAlignment(column == 0 ? SwingConstants.LEFT : SwingConstants.RIGHT);
            return super.getTableCellRendererComponent(table, value, selected, false, row, column);
        }
    }
}
