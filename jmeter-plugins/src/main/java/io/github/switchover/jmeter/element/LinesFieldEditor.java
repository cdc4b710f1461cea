package io.github.switchover.jmeter.element;

import java.beans.PropertyDescriptor;
import org.apache.jmeter.gui.ClearGui;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.apache.jmeter.testbeans.gui.TestBeanPropertyEditor;
import org.apache.jmeter.testbeans.gui.TextAreaEditor;

/** A field with room for lines. A new element has its default: JMeter's own editor keeps the text of the last one, or is empty. */
public final class LinesFieldEditor extends TextAreaEditor implements ClearGui, TestBeanPropertyEditor {

    private String usual = "";

    /** JMeter makes it. */
    public LinesFieldEditor() {
        super();
    }

    @Override
    public void setDescriptor(PropertyDescriptor field) {
        usual = (String) field.getValue(GenericTestBeanCustomizer.DEFAULT);
    }

    @Override
    public void clearGui() {
        setAsText(usual);
    }
}
