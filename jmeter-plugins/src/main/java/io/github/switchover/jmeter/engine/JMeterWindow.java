package io.github.switchover.jmeter.engine;

import java.awt.Frame;
import java.awt.GraphicsEnvironment;
import java.beans.BeanInfo;
import java.beans.PropertyDescriptor;
import java.io.File;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import javax.swing.ImageIcon;
import javax.swing.JDialog;
import javax.swing.JFileChooser;
import javax.swing.JOptionPane;
import javax.swing.JTextArea;
import javax.swing.SwingUtilities;
import org.apache.jmeter.gui.GUIFactory;
import org.apache.jmeter.gui.GuiPackage;
import org.apache.jmeter.gui.action.ActionNames;
import org.apache.jmeter.gui.util.EscapeDialog;
import org.apache.jmeter.gui.util.FileDialoger;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jorphan.collections.HashTree;

/** JMeter's window: what is open in it, what it asks the user, and how it shows the fields of an element. */
public final class JMeterWindow {

    /** What its menu calls Help. */
    public static final String HELP = ActionNames.HELP;

    private static final int MESSAGE_COLUMNS = 60;

    private JMeterWindow() {}

    public static boolean isOpen() {
        return GuiPackage.getInstance() != null;
    }

    /** Null where there is none. */
    public static Frame frame() {
        return isOpen() ? GuiPackage.getInstance().getMainFrame() : null;
    }

    /** Shows a line in front of the plan; the thread that tells it does not wait until it is read. */
    static void tell(String line) {
        if (isOpen() && !GraphicsEnvironment.isHeadless()) {
            SwingUtilities.invokeLater(() -> {
                JDialog dialog = message(line, frame());
                dialog.setVisible(true);
                dialog.dispose();
            });
        }
    }

    /** As plain text, also where it has markup, in lines of a width that can be read. */
    static JDialog message(String line, Frame owner) {
        JTextArea text = new JTextArea(line, 0, MESSAGE_COLUMNS);
        text.setEditable(false);
        text.setOpaque(false);
        text.setLineWrap(true);
        text.setWrapStyleWord(true);
        text.setSize(text.getPreferredSize().width, Short.MAX_VALUE); // its height follows from its width
        return new JOptionPane(text, JOptionPane.ERROR_MESSAGE).createDialog(owner, "Switchover");
    }

    /** The plan in the window, read on the thread of the windows; null if it cannot be. */
    static HashTree plan() {
        if (SwingUtilities.isEventDispatchThread()) {
            return GuiPackage.getInstance().getTreeModel().getTestPlan();
        }
        FutureTask<HashTree> read =
                new FutureTask<>(() -> GuiPackage.getInstance().getTreeModel().getTestPlan());
        SwingUtilities.invokeLater(read);
        try {
            return read.get();
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return null;
        } catch (ExecutionException error) {
            return null;
        }
    }

    /** The element of the tree that is chosen. */
    public static TestElement chosenElement() {
        return GuiPackage.getInstance().getTreeListener().getCurrentNode().getTestElement();
    }

    /** Null if none was chosen. */
    public static File chooseFile(String ending, String present) {
        JFileChooser chosen = FileDialoger.promptToOpenFile(new String[] {ending}, present);
        return chosen == null ? null : chosen.getSelectedFile();
    }

    /** One that Escape closes. */
    public static JDialog dialog(Frame owner, String title) {
        return new EscapeDialog(owner, title, false);
    }

    public static void showInTree(Class<?> gui, ImageIcon icon) {
        GUIFactory.registerIcon(gui.getName(), icon);
    }

    public static ResourceBundle texts(BeanInfo element) {
        return (ResourceBundle) element.getBeanDescriptor().getValue(GenericTestBeanCustomizer.RESOURCE_BUNDLE);
    }

    /** In the order in which they are shown. */
    public static List<PropertyDescriptor> fields(BeanInfo element) {
        return Arrays.stream(element.getPropertyDescriptors())
                .filter(field -> groupOf(field) != null)
                .sorted(Comparator.comparing((PropertyDescriptor field) -> (Integer)
                                element.getBeanDescriptor().getValue(GenericTestBeanCustomizer.ORDER(groupOf(field))))
                        .thenComparing(field -> (Integer) field.getValue(GenericTestBeanCustomizer.ORDER)))
                .toList();
    }

    /** Null where it is not shown. */
    public static String groupOf(PropertyDescriptor field) {
        return (String) field.getValue(GenericTestBeanCustomizer.GROUP);
    }
}
