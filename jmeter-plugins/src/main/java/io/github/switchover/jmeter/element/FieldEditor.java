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
import javax.swing.JTextField;
import org.apache.jmeter.gui.ClearGui;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.apache.jmeter.testbeans.gui.TestBeanPropertyEditor;
import org.apache.jmeter.util.JMeterUtils;
import org.jspecify.annotations.Nullable;

/** Edits a field in JMeter's window. JMeter's own editors lose the default when the user clears the element. */
public final class FieldEditor extends PropertyEditorSupport implements TestBeanPropertyEditor, ClearGui {

    /** The attribute of a field: true if its text is the name of a file. */
    static final String IS_FILE = "switchover.file";

    private static final String TARGET_FILES = ".toml";

    private final JTextField text = new JTextField();
    private JComponent shown = text;
    private String usual = "";

    /** Sets the field of this editor, because JMeter creates each editor without a field. */
    @Override
    public void setDescriptor(PropertyDescriptor field) {
        usual = (String) field.getValue(GenericTestBeanCustomizer.DEFAULT);
        text.setToolTipText(field.getShortDescription());
        if (Boolean.TRUE.equals(field.getValue(IS_FILE))) {
            shown = withButton();
        }
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

    @Override
    public void setValue(@Nullable Object value) {
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
