package io.github.switchover.jmeter.element;

import java.beans.IntrospectionException;
import java.beans.PropertyDescriptor;
import org.apache.jmeter.gui.ClearGui;
import org.apache.jmeter.testbeans.gui.FileEditor;
import org.apache.jmeter.testbeans.gui.GenericTestBeanCustomizer;
import org.apache.jmeter.testbeans.gui.TestBeanPropertyEditor;

/** A field with a button that looks for a file. A new element has its default: JMeter's own editor keeps the text of the last one, or is empty. */
public final class FileFieldEditor extends FileEditor implements ClearGui, TestBeanPropertyEditor {

    private String usual = "";

    /** JMeter makes it. */
    public FileFieldEditor() throws IntrospectionException {
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
