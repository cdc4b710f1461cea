package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.element.ArmingCheck.JMeterKeyboard;
import java.awt.Component;
import java.awt.Container;
import java.awt.EventQueue;
import java.awt.Window;
import java.awt.event.WindowEvent;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.swing.JButton;
import javax.swing.JDialog;
import javax.swing.JLabel;

/** The question of JMeter's window, answered in each way. */
public final class ArmingQuestionScene {

    private static final String QUESTION = "This test fires a fault:\n\nFault: <html><b>kill</b>\nFire it?";

    private ArmingQuestionScene() {}

    public static void play() throws Exception {
        assertThat(answered(dialog -> button(dialog, JMeterKeyboard.YES).doClick()))
                .isTrue();
        assertThat(answered(dialog -> button(dialog, JMeterKeyboard.NO).doClick()))
                .isFalse();
        assertThat(answered(dialog -> dialog.getRootPane().getDefaultButton().doClick()))
                .isFalse();
        assertThat(answered(dialog -> dialog.dispatchEvent(new WindowEvent(dialog, WindowEvent.WINDOW_CLOSING))))
                .isFalse();
        assertThat(answered(dialog -> assertThat(inside(dialog)
                                .filter(JLabel.class::isInstance)
                                .map(label -> ((JLabel) label).getText()))
                        .contains("This test fires a fault:", "Fault: <html><b>kill</b>", "Fire it?")))
                .isFalse();
    }

    /** What {@code answer} does with the dialog, which is closed after it. */
    private static boolean answered(Consumer<JDialog> answer) throws Exception {
        CompletableFuture<Boolean> meant = CompletableFuture.supplyAsync(() -> JMeterKeyboard.ask(QUESTION, null));
        Until.reached(() -> dialogs().count() == 1);
        JDialog dialog = dialogs().findFirst().orElseThrow();
        Until.reached(() -> dialog.getRootPane().getDefaultButton() != null);
        EventQueue.invokeAndWait(() -> {
            assertThat(dialog.getRootPane().getDefaultButton().getText()).isEqualTo(JMeterKeyboard.NO);
            answer.accept(dialog);
            dialog.setVisible(false);
        });
        boolean isMeant = meant.get(60, TimeUnit.SECONDS);
        Until.reached(() -> dialogs().count() == 0);
        return isMeant;
    }

    private static Stream<JDialog> dialogs() {
        return Arrays.stream(Window.getWindows())
                .filter(window -> window instanceof JDialog dialog
                        && dialog.isShowing()
                        && dialog.getTitle().equals(JMeterKeyboard.TITLE))
                .map(JDialog.class::cast);
    }

    private static JButton button(JDialog dialog, String text) {
        return inside(dialog)
                .filter(child -> child instanceof JButton button && text.equals(button.getText()))
                .map(JButton.class::cast)
                .findFirst()
                .orElseThrow();
    }

    private static Stream<Component> inside(Container container) {
        return Arrays.stream(container.getComponents())
                .flatMap(child -> child instanceof Container inner
                        ? Stream.concat(Stream.of(child), inside(inner))
                        : Stream.of(child));
    }
}
