package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.RunSnapshot;
import java.awt.Dimension;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.util.Optional;
import javax.swing.JComponent;

/** What ended in each second, probes that failed, who held the address, and the moments in between. */
final class TimelineChart extends JComponent {

    private static final long serialVersionUID = 1L;

    private transient Optional<RunSnapshot> snapshot = Optional.empty();
    private int paintings;

    TimelineChart() {
        setMinimumSize(new Dimension(300, 120));
        setPreferredSize(new Dimension(700, 210));
        setOpaque(true);
    }

    void show(Optional<RunSnapshot> shown) {
        snapshot = shown;
        repaint();
    }

    /** How often it was painted. */
    int paintings() {
        return paintings;
    }

    @Override
    protected void paintComponent(Graphics graphics) {
        paintings++;
        Graphics2D canvas = (Graphics2D) graphics.create();
        Palette palette = Palette.now();
        canvas.setColor(palette.ground());
        canvas.fillRect(0, 0, getWidth(), getHeight());
        if (snapshot.isPresent() && getWidth() > 2 * TimelinePainting.LEFT) {
            canvas.setFont(getFont());
            new TimelinePainting(canvas, palette, snapshot.get(), getWidth(), getHeight()).paint();
        }
        canvas.dispose();
    }
}
