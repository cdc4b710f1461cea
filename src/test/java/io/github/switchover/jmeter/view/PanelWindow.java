package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.view.live.Ended;
import io.github.switchover.jmeter.view.live.Picture;
import io.github.switchover.jmeter.view.live.Stretch;
import io.github.switchover.jmeter.view.live.Viewing;
import java.awt.Graphics;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.function.Supplier;
import javax.swing.JFrame;

/** A window with a run panel, of the size that JMeter leaves to it on a screen of 1280 × 800. */
final class PanelWindow implements AutoCloseable {

    static final int WIDTH = 960;
    static final int HEIGHT = 560;

    private final Viewing viewing;
    private final RunPanel panel;
    private final JFrame frame;

    PanelWindow(Supplier<Path> current) {
        viewing = new Viewing(current);
        panel = GuiScenes.inWindow(() -> new RunPanel(viewing));
        frame = GuiScenes.inWindow(() -> {
            JFrame made = new JFrame("run");
            made.setUndecorated(true);
            made.add(panel);
            made.setSize(WIDTH, HEIGHT);
            made.setVisible(true);
            return made;
        });
    }

    Viewing viewing() {
        return viewing;
    }

    RunPanel panel() {
        return panel;
    }

    void headlineReached(String word) throws InterruptedException {
        Until.reached(() -> headline().startsWith(word), this::headline);
    }

    /** The figures are those of a verdict. */
    void verdictReached() throws InterruptedException {
        Until.reached(() -> {
            Picture picture = viewing.shown().picture();
            return picture != null && picture.judgement() != null && headline().contains("outage");
        });
    }

    /** Requests that are shown. */
    long requests() {
        Picture picture = viewing.shown().picture();
        return picture == null
                ? 0
                : picture.stretches().stream()
                        .map(Stretch::requests)
                        .mapToLong(Ended::total)
                        .sum();
    }

    BufferedImage painted() {
        return GuiScenes.inWindow(() -> {
            BufferedImage image = new BufferedImage(WIDTH, HEIGHT, BufferedImage.TYPE_INT_RGB);
            Graphics canvas = image.createGraphics();
            panel.printAll(canvas);
            canvas.dispose();
            return image;
        });
    }

    @Override
    public void close() {
        GuiScenes.inWindow(() -> {
            frame.dispose();
            return null;
        });
    }

    private String headline() {
        return GuiScenes.inWindow(panel::headline);
    }
}
