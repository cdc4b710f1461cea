package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.drill.DrillSettings;
import io.github.switchover.jmeter.engine.CommandLine;
import io.github.switchover.jmeter.engine.JMeterWindow;
import io.github.switchover.jmeter.faults.Staging;
import io.github.switchover.jmeter.faults.Staging.Arming;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.target.Target;
import java.awt.Component;
import java.awt.GraphicsEnvironment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.swing.JDialog;
import javax.swing.JOptionPane;
import javax.swing.SwingUtilities;
import org.apache.jmeter.util.JMeterUtils;
import org.jspecify.annotations.Nullable;

/** Checks whether the user, at the keyboard and not in a file, confirmed the plan's faults at a real target. */
record ArmingCheck(Keyboard keyboard, Target target, DrillSettings.@Nullable FaultPlan plan, Set<String> kills) {

    /** Asks the user in JMeter's window. Without a window, only the option on the command line confirms a fault. */
    Arming arming() {
        if (!keyboard.canAsk()) {
            String property = JMeterUtils.getPropDefault(BalancerTargetSettings.ARMED_PROPERTY, "");
            if (!new Field("", property).isTrue()) {
                return Arming.UNCONFIRMED;
            }
            return keyboard.hasArmingWord() ? Arming.CONFIRMED : Arming.SAVED;
        }
        if (plan == null && kills.isEmpty()) {
            return Arming.UNCONFIRMED;
        }
        return keyboard.isConfirmed(question()) ? Arming.CONFIRMED : Arming.DECLINED;
    }

    /** Returns the question. Each line begins with a fixed word, so that Swing does not read it as HTML. */
    private String question() {
        List<String> lines = new ArrayList<>();
        lines.add("This test fires a fault at a real target:");
        lines.add("");
        if (plan != null) {
            String healed = plan.healAtS() == null
                    ? "at the end of the test"
                    : "after " + Numbers.general(plan.healAtS()) + " s";
            FaultRun fault = staged(plan.fault());
            lines.add("Fault: " + plan.fault() + ", " + Numbers.general(plan.atS())
                    + " s after the start of the test, healed " + healed);
            lines.add("Hits: " + victim(fault));
        }
        for (String kill : new TreeSet<>(kills)) {
            boolean isKnown = target.faults().containsKey(kill);
            lines.add("Fault: " + (isKnown ? kill : "chosen while the test runs")
                    + ", when a thread reaches its Master Kill");
            lines.add("Hits: " + (isKnown ? victimIfKnown(kill) : "the node that its commands name"));
        }
        lines.add("Target: " + PublicText.url(target.endpoint().url()) + " of " + target.source());
        lines.add("");
        lines.add("Fire it? If you choose No, the test runs without the fault.");
        return String.join("\n", lines);
    }

    private FaultRun staged(String fault) {
        return new Staging(target).stage(fault, Arming.CONFIRMED, null).description();
    }

    private String victimIfKnown(String fault) {
        try {
            return victim(staged(fault));
        } catch (FaultException error) {
            return "not known yet: " + error.getMessage();
        }
    }

    private static String victim(FaultRun fault) {
        if (fault.victim() == null) {
            return "unknown: the node that its commands name; the master is not known";
        }
        return fault.victim() + (fault.victim().equals(fault.master()) ? ", which is the master now" : "");
    }

    /** The two places where a user confirms a fault at a real target: the command line and the window. */
    interface Keyboard {

        /** Returns true if the option was typed on the command line when this JMeter started. */
        boolean hasArmingWord();

        /** Returns true if JMeter has a window, where the user must confirm each test. */
        boolean canAsk();

        /** Asks the user, and waits; true only if the answer is Yes. {@code question}: plain text of several lines. */
        boolean isConfirmed(String question);
    }

    /** The command line and the window of this JMeter. */
    static final class JMeterKeyboard implements Keyboard {

        static final String YES = "Fire it";
        static final String NO = "No";
        static final String TITLE = "Switchover";

        @Override
        public boolean hasArmingWord() {
            return new Field("", String.valueOf(CommandLine.property(BalancerTargetSettings.ARMED_PROPERTY))).isTrue();
        }

        @Override
        public boolean canAsk() {
            return JMeterWindow.isOpen() && !GraphicsEnvironment.isHeadless();
        }

        /** Must not be called on the Swing event thread. */
        @Override
        public boolean isConfirmed(String question) {
            return ask(question, JMeterWindow.frame());
        }

        /** Asks the user; No if JMeter ends meanwhile. {@code parent} null: JMeter has no window yet. */
        static boolean ask(String question, @Nullable Component parent) {
            // Enter, Escape and closing the window all choose No.
            JOptionPane pane = new JOptionPane(
                    question, JOptionPane.WARNING_MESSAGE, JOptionPane.YES_NO_OPTION, null, new Object[] {YES, NO}, NO);
            AtomicBoolean isConfirmed = new AtomicBoolean();
            CountDownLatch answered = new CountDownLatch(1);
            Thread atExit = new Thread(answered::countDown, "switchover question");
            try {
                Runtime.getRuntime().addShutdownHook(atExit);
            } catch (IllegalStateException error) {
                return false; // JMeter is already ending.
            }
            SwingUtilities.invokeLater(() -> {
                try {
                    JDialog dialog = pane.createDialog(parent, TITLE);
                    dialog.setVisible(true);
                    dialog.dispose();
                    isConfirmed.set(YES.equals(pane.getValue()));
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
                return false; // JMeter is ending.
            }
            return isConfirmed.get();
        }
    }
}
