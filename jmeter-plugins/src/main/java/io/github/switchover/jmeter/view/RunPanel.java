package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.view.live.Headline;
import io.github.switchover.jmeter.view.live.LiveTraffic.Share;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.RunViewer;
import io.github.switchover.jmeter.view.live.RunViewer.ViewState;
import java.awt.BorderLayout;
import java.awt.Color;
import java.awt.Component;
import java.awt.Dimension;
import java.awt.FlowLayout;
import java.awt.Font;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.swing.BorderFactory;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JScrollPane;
import javax.swing.JSplitPane;
import javax.swing.JTable;
import javax.swing.JTextArea;
import javax.swing.SwingConstants;
import javax.swing.Timer;
import javax.swing.table.DefaultTableCellRenderer;
import javax.swing.table.DefaultTableModel;

/** Shows a run in one panel. While the panel is in a window, it updates itself four times a second. */
final class RunPanel extends JPanel {

    private static final int LOOK_MS = 250;

    /** The number of backends that the legend above the chart names. */
    private static final int NAMED = 8;

    private final transient RunViewer viewing;
    private final transient UnaryOperator<String> notes;
    private final JLabel word = new JLabel();

    /** The messages, as text that wraps and can be copied. */
    private final JTextArea lines = new JTextArea();

    private final JPanel banner = new JPanel(new BorderLayout(16, 0));
    private final JPanel legend = new JPanel(new FlowLayout(FlowLayout.LEFT, 10, 2));
    private final TimelineChart chart = new TimelineChart();
    private final SharesTable shares = new SharesTable();
    private final Timer timer = new Timer(LOOK_MS, event -> look());
    private transient List<?> shown = List.of();

    /** {@code notes} returns the last message of the run with this id, if it is in progress in this JVM. */
    RunPanel(RunViewer viewing, UnaryOperator<String> notes) {
        super(new BorderLayout(0, 4));
        this.viewing = viewing;
        this.notes = notes;
        lines.setFont(new Font(Font.MONOSPACED, Font.PLAIN, word.getFont().getSize()));
        lines.setEditable(false);
        lines.setOpaque(false);
        lines.setLineWrap(true);
        lines.setWrapStyleWord(true);
        lines.setMinimumSize(new Dimension());
        word.setVerticalAlignment(JLabel.TOP);
        banner.add(word, BorderLayout.WEST);
        banner.add(lines, BorderLayout.CENTER);
        add(banner, BorderLayout.NORTH);
        JPanel timeline = new JPanel(new BorderLayout(0, 2));
        timeline.add(legend, BorderLayout.NORTH);
        timeline.add(chart, BorderLayout.CENTER);
        JScrollPane table = new JScrollPane(shares);
        table.setPreferredSize(new Dimension(380, 160));
        JSplitPane split = new JSplitPane(JSplitPane.VERTICAL_SPLIT, timeline, table);
        split.setResizeWeight(0.7);
        split.setBorder(BorderFactory.createEmptyBorder());
        add(split, BorderLayout.CENTER);
        look();
    }

    @Override
    public void addNotify() {
        super.addNotify();
        viewing.start();
        timer.start();
        look();
    }

    @Override
    public void removeNotify() {
        timer.stop();
        viewing.close();
        super.removeNotify();
    }

    /** Returns a fixed size, independent of the content. */
    @Override
    public Dimension getPreferredSize() {
        return new Dimension(640, 480);
    }

    /** Shows the current state if it changed. */
    void look() {
        Palette palette = Palette.now();
        ViewState now = viewing.shown();
        String note = notes.apply(now.snapshot().map(run -> run.run().id()).orElse(""));
        List<?> state = List.of(now, palette, note);
        if (state.equals(shown)) {
            return;
        }
        shown = state;
        show(now.headline().noting(note), palette);
        showLegend(now.snapshot(), palette);
        chart.show(now.snapshot());
        shares.show(now.snapshot());
    }

    String headline() {
        return (word.getText() + " " + lines.getText()).toLowerCase(Locale.ROOT);
    }

    private void show(Headline headline, Palette palette) {
        banner.setBackground(palette.track());
        banner.setBorder(BorderFactory.createCompoundBorder(
                BorderFactory.createMatteBorder(0, 6, 0, 0, palette.edge(headline.tone())),
                BorderFactory.createEmptyBorder(4, 10, 4, 8)));
        word.setText(headline.status().toUpperCase(Locale.ROOT));
        word.setForeground(palette.text());
        word.setFont(word.getFont().deriveFont(Font.BOLD, lines.getFont().getSize2D() * 1.25f));
        lines.setForeground(palette.text());
        lines.setText(String.join("\n", headline.lines()));
    }

    private void showLegend(Optional<RunSnapshot> snapshot, Palette palette) {
        legend.removeAll();
        legend.add(new JLabel("Requests per second:"));
        legend.add(entry("failed", palette.failed()));
        legend.add(entry("late", palette.late()));
        List<Share> backends = snapshot.map(run -> run.traffic().backends()).orElse(List.of());
        for (int index = 0; index < Math.min(NAMED, backends.size()); index++) {
            legend.add(entry(backends.get(index).name(), palette.name(index)));
        }
        legend.revalidate();
        legend.repaint();
    }

    private static JLabel entry(String name, Color colour) {
        JLabel label = new JLabel();
        label.putClientProperty("html.disable", true);
        label.setText("■ " + name);
        label.setForeground(colour);
        return label;
    }

    /** The share of answers of each backend and balancer: over the whole run, and over its last seconds. */
    static final class SharesTable extends JTable {

        private static final String[] COLUMNS = {"who answered", "all", "last 10 s", "answers"};

        /** The highest number of backends, and of balancers, that are shown. */
        private static final int NAMES = 60;

        SharesTable() {
            super(new DefaultTableModel(COLUMNS, 0));
            setShowGrid(false);
            setFillsViewportHeight(true);
            setDefaultEditor(Object.class, null);
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
            DefaultTableModel rows = (DefaultTableModel) getModel();
            rows.setRowCount(0);
            for (List<Share> shares : all) {
                shares.stream()
                        .limit(NAMES)
                        .forEach(share -> rows.addRow(new Object[] {
                            share.name(),
                            percent(share.share()),
                            percent(share.recent()),
                            Numbers.grouped(share.count())
                        }));
            }
        }

        private static String percent(double share) {
            return Numbers.fixed(share * 100, 1) + " %";
        }

        /** Shows plain text, because names come from the network. */
        private static final class PlainCell extends DefaultTableCellRenderer {

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
}
