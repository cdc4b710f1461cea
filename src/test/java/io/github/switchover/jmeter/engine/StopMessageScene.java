package io.github.switchover.jmeter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.Component;
import java.awt.Container;
import java.awt.EventQueue;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.swing.JDialog;
import javax.swing.JTextArea;

/** What the window says of a test that is stopped. */
public final class StopMessageScene {

    private static final String LINE = "Switchover: the test is stopped: <html><b>" + "no such file ".repeat(40);

    /** A screen of 1024 pixels has place for it. */
    private static final int WIDEST = 1000;

    private StopMessageScene() {}

    public static void play() throws Exception {
        EventQueue.invokeAndWait(() -> {
            JDialog dialog = JMeterWindow.message(LINE, null);
            JTextArea text = inside(dialog)
                    .filter(JTextArea.class::isInstance)
                    .map(JTextArea.class::cast)
                    .findFirst()
                    .orElseThrow();
            assertThat(text.getText()).isEqualTo(LINE);
            assertThat(dialog.getWidth()).isLessThan(WIDEST);
            assertThat(text.getPreferredSize().height)
                    .isGreaterThan(4 * text.getFontMetrics(text.getFont()).getHeight());
            dialog.dispose();
        });
    }

    private static Stream<Component> inside(Container container) {
        return Arrays.stream(container.getComponents())
                .flatMap(one ->
                        Stream.concat(Stream.of(one), one instanceof Container inner ? inside(inner) : Stream.empty()));
    }
}
