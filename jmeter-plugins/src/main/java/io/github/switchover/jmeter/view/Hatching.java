package io.github.switchover.jmeter.view;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.Paint;
import java.awt.Rectangle;
import java.awt.TexturePaint;
import java.awt.image.BufferedImage;

/** Slanted lines, so that split brain is told without colours too. */
final class Hatching {

    private static final int SIZE = 8;

    private Hatching() {}

    static Paint of(Color colour) {
        BufferedImage tile = new BufferedImage(SIZE, SIZE, BufferedImage.TYPE_INT_RGB);
        Graphics2D canvas = tile.createGraphics();
        canvas.setColor(colour);
        canvas.fillRect(0, 0, SIZE, SIZE);
        canvas.setColor(Color.WHITE);
        canvas.setStroke(new BasicStroke(2));
        for (int shift = -SIZE; shift <= SIZE; shift += SIZE) {
            canvas.drawLine(shift, SIZE, shift + SIZE, 0);
        }
        canvas.dispose();
        return new TexturePaint(tile, new Rectangle(SIZE, SIZE));
    }
}
