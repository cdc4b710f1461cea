package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.engine.JMeterWindow;
import java.awt.BorderLayout;
import java.awt.Component;
import java.beans.PropertyDescriptor;
import java.beans.PropertyEditorSupport;
import java.io.File;
import javax.swing.JButton;
import javax.swing.JComponent;
import javax.swing.JPanel;
import javax.swing.JScrollPane;
import javax.swing.JTextArea;
import javax.swing.JTextField;
import javax.swing.text.JTextComponent;
import org.apache.jmeter.gui.ClearGui;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.apache.jmeter.testbeans.gui.TestBeanPropertyEditor;
import org.apache.jmeter.util.JMeterUtils;

/**
 * Edits a field of an element in JMeter's window. JMeter's editor of lines and JMeter's editor with a Browse button
 * lose the default when the user clears the element.
 */
public final class FieldEditor extends PropertyEditorSupport implements TestBeanPropertyEditor, ClearGui {

    /** The attribute of a field that contains its {@link Shape}. */
    static final String SHAPE = "switchover.shape";

    private static final String TARGET_FILES = ".toml";
    private static final int ROWS = 3;

    private JTextComponent text = new JTextField();
    private JComponent shown = text;
    private String usual = "";

    /** The input area of a field. */
    enum Shape {
        LINE,
        LINES,
        FILE
    }

    /** JMeter creates an editor without texts, and sets its field with this method. */
    @Override
    public void setDescriptor(PropertyDescriptor field) {
        usual = (String) field.getValue(GenericTestBeanCustomizer.DEFAULT);
        Shape shape = (Shape) field.getValue(SHAPE);
        text = shape == Shape.LINES ? new JTextArea(ROWS, 0) : new JTextField();
        text.setToolTipText(field.getShortDescription());
        shown = switch (shape) {
            case LINE -> text;
            case LINES -> new JScrollPane(text);
            case FILE -> withButton();
        };
    }

    @Override
    public boolean supportsCustomEditor() {
        return true;
    }

    @Override
    public Component getCustomEditor() {
        return shown;
    }

    @Override
    public Object getValue() {
        return text.getText();
    }

    @Override
    public String getAsText() {
        return text.getText();
    }

    /** {@code value}: null if the plan does not have this field yet. */
    @Override
    public void setValue(Object value) {
        text.setText(value == null ? usual : value.toString());
        text.setCaretPosition(0);
    }

    @Override
    public void setAsText(String value) {
        setValue(value);
    }

    @Override
    public void clearGui() {
        setValue(usual);
    }

    private JPanel withButton() {
        JButton browse = new JButton(JMeterUtils.getResString("browse"));
        browse.addActionListener(event -> browse());
        JPanel panel = new JPanel(new BorderLayout(5, 0));
        panel.add(text, BorderLayout.CENTER);
        panel.add(browse, BorderLayout.EAST);
        return panel;
    }

    private void browse() {
        File chosen = JMeterWindow.chooseFile(TARGET_FILES, text.getText());
        if (chosen != null) {
            setValue(chosen.getPath());
        }
    }
}
