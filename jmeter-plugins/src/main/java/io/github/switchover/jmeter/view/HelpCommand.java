package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.engine.JMeterWindow;
import java.awt.Frame;
import java.awt.event.ActionEvent;
import java.util.Set;
import javax.swing.JDialog;
import org.apache.jmeter.gui.action.Command;
import org.apache.jmeter.testelement.TestElement;

/**
 * Answers Help, of the menu and of an element's own, where the element is ours. JMeter finds it in the jar and calls it
 * beside its own command, which opens a browser on JMeter's manual: that knows no elements but its own.
 */
public final class HelpCommand implements Command {

    @Override
    public Set<String> getActionNames() {
        return Set.of(JMeterWindow.HELP);
    }

    /** {@code event}: names the function that is asked for, if it is one. */
    @Override
    public void doAction(ActionEvent event) {
        TestElement element = JMeterWindow.chosenElement();
        if (ElementHelp.isThereFor(element) && !(event.getSource() instanceof String[])) {
            show(element.getClass(), JMeterWindow.frame());
        }
    }

    static JDialog show(Class<? extends TestElement> element, Frame owner) {
        HelpText help = new HelpText(ElementHelp.of(element));
        help.setPreferredSize(help.comfortableSize());
        JDialog dialog = JMeterWindow.dialog(owner, "Help");
        dialog.setDefaultCloseOperation(JDialog.DISPOSE_ON_CLOSE);
        dialog.add(help);
        dialog.pack();
        dialog.setLocationRelativeTo(owner);
        dialog.setVisible(true);
        return dialog;
    }
}
