package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.RunSnapshot;
import java.awt.Dimension;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.event.MouseAdapter;
import java.awt.event.MouseEvent;
import javax.swing.JComponent;

/**
 * What ended in each second, probes that failed, who held the address, and the moments in between. What a second holds
 * stands beside the pointer.
 */
final class TimelineChart extends JComponent {

    private static final long serialVersionUID = 1L;
    private static final int OUTSIDE = -1;

    private transient RunSnapshot snapshot;
    private Stacking stacking = Stacking.BACKEND;
    private TimelineWindow window = TimelineWindow.AUTO;
    private int pointer = OUTSIDE;
    private int paintings;

    TimelineChart() {
        setMinimumSize(new Dimension(300, 120));
        setPreferredSize(new Dimension(700, 210));
        setOpaque(true);
        MouseAdapter hover = new MouseAdapter() {
            @Override
            public void mouseMoved(MouseEvent event) {
                point(event.getX());
            }

            @Override
            public void mouseEntered(MouseEvent event) {
                point(event.getX());
            }

            @Override
            public void mouseExited(MouseEvent event) {
                point(OUTSIDE);
            }
        };
        addMouseListener(hover);
        addMouseMotionListener(hover);
    }

    /** {@code shown}: null: nothing. */
    void show(RunSnapshot shown) {
        snapshot = shown;
        repaint();
    }

    void stack(Stacking chosen) {
        stacking = chosen;
        repaint();
    }

    void window(TimelineWindow chosen) {
        window = chosen;
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
        try {
            canvas.setFont(getFont());
            new TimelinePainting(canvas, Palette.now(), getWidth(), getHeight())
                    .paint(snapshot, stacking, window, pointer);
        } finally {
            canvas.dispose();
        }
    }

    private void point(int x) {
        pointer = x;
        repaint();
    }
}
