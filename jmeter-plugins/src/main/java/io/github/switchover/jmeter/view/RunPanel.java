package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.Headline;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.RunViewer;
import io.github.switchover.jmeter.view.live.ViewState;
import java.awt.BorderLayout;
import java.awt.Dimension;
import java.awt.FlowLayout;
import java.util.Objects;
import java.util.function.UnaryOperator;
import javax.swing.BorderFactory;
import javax.swing.JComboBox;
import javax.swing.JComponent;
import javax.swing.JLabel;
import javax.swing.JPanel;
import javax.swing.JScrollPane;
import javax.swing.JSplitPane;
import javax.swing.Timer;

/** A run in one panel. It looks for something new by itself, four times a second, as long as it is in a window. */
final class RunPanel extends JPanel {

    private static final long serialVersionUID = 1L;
    private static final int LOOK_MS = 250;

    private final transient RunViewer viewing;
    private final Banner banner = new Banner();
    private final Legend legend = new Legend();
    private final TimelineChart chart = new TimelineChart();
    private final JComboBox<Stacking> stacking = new JComboBox<>(Stacking.values());
    private final JComboBox<TimelineWindow> window = new JComboBox<>(TimelineWindow.values());
    private final Sheet shares = new Sheet();
    private final Timer timer = new Timer(LOOK_MS, event -> look());
    private final transient UnaryOperator<String> notes;
    private transient ViewState shown;
    private transient String note;
    private transient Palette palette;

    RunPanel(RunViewer viewing) {
        this(viewing, run -> null);
    }

    /** {@code notes}: what the run of that id has said last, if it is on in this JVM; else null. */
    RunPanel(RunViewer viewing, UnaryOperator<String> notes) {
        super(new BorderLayout(0, 4));
        this.viewing = viewing;
        this.notes = notes;
        stacking.addActionListener(event -> stack());
        window.addActionListener(event -> chart.window((TimelineWindow) window.getSelectedItem()));
        add(banner, BorderLayout.NORTH);
        JSplitPane split = new JSplitPane(JSplitPane.VERTICAL_SPLIT, timeline(), scrolled(shares));
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

    /** It takes the room that there is, independent of what is shown. */
    @Override
    public Dimension getPreferredSize() {
        return new Dimension(640, 480);
    }

    /** Shows what there is now, if that is something new. */
    void look() {
        Palette now = Palette.now();
        ViewState found = viewing.shown();
        String said = found.snapshot() == null
                ? null
                : notes.apply(found.snapshot().run().id());
        if (!found.equals(shown) || !now.equals(palette) || !Objects.equals(said, note)) {
            note = said;
            shown = found;
            palette = now;
            show(found);
        }
    }

    TimelineChart chart() {
        return chart;
    }

    String headline() {
        return banner.text();
    }

    private void show(ViewState found) {
        banner.show(Headline.of(found).noting(note));
        RunSnapshot snapshot = found.snapshot();
        chart.show(snapshot);
        legend.show(snapshot, (Stacking) stacking.getSelectedItem());
        if (snapshot == null) {
            Tables.SheetTable.EMPTY.showIn(shares);
            return;
        }
        Tables.shares(snapshot, palette).showIn(shares);
    }

    private void stack() {
        Stacking chosen = (Stacking) stacking.getSelectedItem();
        chart.stack(chosen);
        legend.show(shown.snapshot(), chosen);
    }

    private JComponent timeline() {
        JPanel choices = new JPanel(new FlowLayout(FlowLayout.RIGHT, 6, 0));
        choices.add(stacking);
        choices.add(window);
        JPanel head = new JPanel(new BorderLayout(12, 0));
        head.add(new JLabel("Requests per second"), BorderLayout.WEST);
        head.add(legend, BorderLayout.CENTER);
        head.add(choices, BorderLayout.EAST);
        JPanel panel = new JPanel(new BorderLayout(0, 2));
        panel.add(head, BorderLayout.NORTH);
        panel.add(chart, BorderLayout.CENTER);
        panel.setMinimumSize(new Dimension(300, 140));
        return panel;
    }

    private static JScrollPane scrolled(JComponent sheet) {
        JScrollPane pane = new JScrollPane(sheet);
        pane.setBorder(BorderFactory.createEmptyBorder());
        pane.setPreferredSize(new Dimension(380, 160));
        return pane;
    }
}
