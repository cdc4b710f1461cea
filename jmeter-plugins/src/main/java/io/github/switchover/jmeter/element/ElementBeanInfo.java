package io.github.switchover.jmeter.element;

import java.beans.PropertyDescriptor;
import org.apache.jmeter.testbeans.BeanInfoSupport;
import org.apache.jmeter.testbeans.TestBean;

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
        PropertyDescriptor field = property(name);
        field.setValue(NOT_UNDEFINED, true);
        field.setValue(DEFAULT, usual);
        return field;
    }
}
