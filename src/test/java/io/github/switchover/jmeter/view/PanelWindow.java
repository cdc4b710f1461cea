package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.RunSnapshot.RunState;
import io.github.switchover.jmeter.view.live.RunViewer;
import java.awt.Graphics;
import java.awt.image.BufferedImage;
import java.util.function.Supplier;
import javax.swing.JFrame;

/** A window with a run panel, of the size that JMeter leaves to it on a screen of 1280 × 800. */
final class PanelWindow implements AutoCloseable {

    static final int WIDTH = 960;
    static final int HEIGHT = 560;

    private final RunViewer viewing;
    private final RunPanel panel;
    private final JFrame frame;

    PanelWindow(Supplier<RunState> current) {
        viewing = new RunViewer(current);
        panel = GuiScenes.inWindow(() -> new RunPanel(viewing, run -> ""));
        frame = GuiScenes.inWindow(() -> {
            JFrame made = new JFrame("run");
            made.setUndecorated(true);
            made.add(panel);
            made.setSize(WIDTH, HEIGHT);
            made.setVisible(true);
            return made;
        });
    }

    RunViewer viewing() {
        return viewing;
    }

    RunPanel panel() {
        return panel;
    }

    void headlineReached(String status) throws InterruptedException {
        Until.reached(() -> headline().startsWith(status), this::headline);
    }

    /** The run is judged. */
    void verdictReached() throws InterruptedException {
        Until.reached(() -> viewing.shown()
                .snapshot()
                .filter(run -> run.state().result() != null)
                .isPresent());
    }

    /** Requests that are shown. */
    long requests() {
        return viewing.shown().snapshot().map(RunSnapshot::traffic).stream()
                .flatMap(traffic -> traffic.seconds().stream())
                .mapToLong(second -> second.requests().total())
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
