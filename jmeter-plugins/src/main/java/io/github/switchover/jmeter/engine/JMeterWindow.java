package io.github.switchover.jmeter.engine;

import java.awt.Frame;
import java.awt.GraphicsEnvironment;
import java.io.File;
import javax.swing.ImageIcon;
import javax.swing.JDialog;
import javax.swing.JFileChooser;
import javax.swing.JOptionPane;
import javax.swing.JTextArea;
import javax.swing.SwingUtilities;
import org.apache.jmeter.gui.GUIFactory;
import org.apache.jmeter.gui.GuiPackage;
import org.apache.jmeter.gui.util.FileDialoger;
import org.jspecify.annotations.Nullable;

/** JMeter's window: its messages to the user, and the display of an element's fields. */
public final class JMeterWindow {

    private static final int MESSAGE_COLUMNS = 60;

    public static boolean isOpen() {
        return GuiPackage.getInstance() != null;
    }

    /** The main window of JMeter. */
    public static @Nullable Frame frame() {
        return isOpen() ? GuiPackage.getInstance().getMainFrame() : null;
    }

    /** Shows a line in front of the plan, without blocking the calling thread. */
    static void show(String line) {
        if (isOpen() && !GraphicsEnvironment.isHeadless()) {
            SwingUtilities.invokeLater(() -> {
                JDialog dialog = message(line, frame());
                dialog.setVisible(true);
                dialog.dispose();
            });
        }
    }

    /** Shows the line as plain text, even if it contains markup, with line breaks at a readable width. */
    static JDialog message(String line, @Nullable Frame owner) {
        JTextArea text = new JTextArea(line, 0, MESSAGE_COLUMNS);
        text.setEditable(false);
        text.setOpaque(false);
        text.setLineWrap(true);
        text.setWrapStyleWord(true);
        text.setSize(text.getPreferredSize().width, Short.MAX_VALUE); // The height depends on the width.
        return new JOptionPane(text, JOptionPane.ERROR_MESSAGE).createDialog(owner, "Switchover");
    }

    /** Returns the file that the user chose. */
    public static @Nullable File chooseFile(String ending, String present) {
        JFileChooser chosen = FileDialoger.promptToOpenFile(new String[] {ending}, present);
        return chosen == null ? null : chosen.getSelectedFile();
    }

    public static void showInTree(Class<?> gui, ImageIcon icon) {
        GUIFactory.registerIcon(gui.getName(), icon);
    }
}
