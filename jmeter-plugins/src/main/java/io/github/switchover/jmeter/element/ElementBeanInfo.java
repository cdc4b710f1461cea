package io.github.switchover.jmeter.element;

import java.beans.PropertyDescriptor;
import org.apache.jmeter.testbeans.BeanInfoSupport;
import org.apache.jmeter.testbeans.TestBean;
import org.apache.jmeter.testbeans.gui.TypeEditor;

/** How an element of ours is shown: all its fields are text, so that each takes variables and functions. */
abstract class ElementBeanInfo extends BeanInfoSupport {

    ElementBeanInfo(Class<? extends TestBean> element) {
        super(element);
        setIcon(element.getSimpleName() + ".png");
    }

    void group(String name, String... fields) {
        createPropertyGroup(name, fields);
    }

    /** {@code usual}: what stands there in a new element. */
    PropertyDescriptor field(String name, String usual) {
        return shown(property(name), usual);
    }

    /** With room for lines. */
    PropertyDescriptor area(String name) {
        return shown(property(name, TypeEditor.TextAreaEditor), "");
    }

    private static PropertyDescriptor shown(PropertyDescriptor field, String usual) {
        field.setValue(NOT_UNDEFINED, true);
        field.setValue(DEFAULT, usual);
        return field;
    }
}
