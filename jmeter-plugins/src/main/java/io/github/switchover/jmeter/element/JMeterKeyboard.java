package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.engine.CommandLine;
import io.github.switchover.jmeter.engine.JMeterWindow;
import java.awt.Component;
import java.awt.GraphicsEnvironment;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.swing.JDialog;
import javax.swing.JOptionPane;
import javax.swing.SwingUtilities;

/** The command line and the window of this JMeter. */
final class JMeterKeyboard implements Keyboard {

    static final String YES = "Fire it";
    static final String NO = "No";
    static final String TITLE = "Switchover";

    @Override
    public boolean hasArmingWord() {
        return new Field("", CommandLine.property(BalancerTargetSettings.ARMED_PROPERTY)).isTrue();
    }

    @Override
    public boolean canAsk() {
        return JMeterWindow.isOpen() && !GraphicsEnvironment.isHeadless();
    }

    /** Not to be called by the thread of the windows. */
    @Override
    public boolean isMeant(String question) {
        return ask(question, JMeterWindow.frame());
    }

    /** A JMeter that ends while it waits has got no Yes. {@code parent}: null where there is no window yet. */
    static boolean ask(String question, Component parent) {
        // What is chosen by Enter, by Escape and by closing the window is No.
        JOptionPane pane = new JOptionPane(
                question, JOptionPane.WARNING_MESSAGE, JOptionPane.YES_NO_OPTION, null, new Object[] {YES, NO}, NO);
        AtomicBoolean isMeant = new AtomicBoolean();
        CountDownLatch answered = new CountDownLatch(1);
        Thread atExit = new Thread(answered::countDown, "switchover question");
        try {
            Runtime.getRuntime().addShutdownHook(atExit);
        } catch (IllegalStateException error) {
            return false; // it is ending already
        }
        SwingUtilities.invokeLater(() -> {
            try {
                JDialog dialog = pane.createDialog(parent, TITLE);
                dialog.setVisible(true);
                dialog.dispose();
                isMeant.set(YES.equals(pane.getValue()));
            } finally {
                answered.countDown();
            }
        });
        try {
            answered.await();
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            SwingUtilities.invokeLater(() -> pane.setValue(NO));
            return false;
        } catch (IllegalStateException error) {
            return false; // it is ending
        }
        return isMeant.get();
    }
}
