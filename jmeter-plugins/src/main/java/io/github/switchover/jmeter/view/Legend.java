package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.RunSnapshot;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.FontMetrics;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.util.List;
import javax.swing.JComponent;

/** What the colours of the timeline mean. */
final class Legend extends JComponent {

    private static final long serialVersionUID = 1L;
    private static final int SPOT = 10;
    private static final int GAP = 12;
    private static final int WIDEST = 110;

    private transient RunSnapshot snapshot;
    private Stacking stacking = Stacking.BACKEND;

    Legend() {
        setPreferredSize(new Dimension(300, 20));
    }

    void show(RunSnapshot shown, Stacking chosen) {
        snapshot = shown;
        stacking = chosen;
        repaint();
    }

    @Override
    protected void paintComponent(Graphics graphics) {
        if (snapshot == null) {
            return;
        }
        Graphics2D canvas = (Graphics2D) graphics.create();
        canvas.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        Palette palette = Palette.now();
        canvas.setFont(getFont());
        int x = entry(canvas, palette, 0, palette.outcomes().failed(), "failed");
        x = entry(canvas, palette, x, palette.outcomes().late(), "late");
        List<String> names = stacking.names(snapshot);
        for (int index = 0; index < names.size(); index++) {
            int room = getWidth() - x - SPOT - 4;
            if (room < Math.min(WIDEST, canvas.getFontMetrics().stringWidth(names.get(index)))) {
                break;
            }
            x = entry(canvas, palette, x, stacking.colour(palette, snapshot, index), names.get(index));
        }
        canvas.dispose();
    }

    private int entry(Graphics2D canvas, Palette palette, int x, Color colour, String words) {
        FontMetrics font = canvas.getFontMetrics();
        int middle = getHeight() / 2;
        canvas.setColor(colour);
        canvas.fillRect(x, middle - SPOT / 2, SPOT, SPOT);
        canvas.setColor(palette.surface().text());
        String shown = ClippedText.of(words, font, WIDEST);
        canvas.drawString(shown, x + SPOT + 4, middle + font.getAscent() / 2 - 1);
        return x + SPOT + 4 + font.stringWidth(shown) + GAP;
    }
}
