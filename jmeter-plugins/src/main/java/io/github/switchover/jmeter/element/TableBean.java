package io.github.switchover.jmeter.element;

import org.apache.jmeter.testbeans.TestBean;
import org.apache.jmeter.testelement.TestElement;

/**
 * An element whose fields are described in {@code tables/elements.json} and kept as JMeter's properties. JMeter sets
 * the fields of a bean by setters; here it gets one that does nothing.
 */
public interface TableBean extends TestBean, TestElement {

    default String getField() {
        return "";
    }

    default void setField(String value) {
        // The value is in the property of the same name.
    }

    /** The value of a field, with variables and functions evaluated; empty for a plan that does not have it. */
    default String text(String key) {
        return getPropertyAsString(key);
    }
}
