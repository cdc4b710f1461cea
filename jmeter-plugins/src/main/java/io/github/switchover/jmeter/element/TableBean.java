package io.github.switchover.jmeter.element;

import org.apache.jmeter.testbeans.TestBean;
import org.apache.jmeter.testelement.TestElement;

/** An element whose fields are in {@code tables/elements.json} and in JMeter properties. Its setter does nothing. */
public interface TableBean extends TestBean, TestElement {

    default String getField() {
        return "";
    }

    default void setField(String value) {
        // The value is in the JMeter property of the same name.
    }

    /** Returns a field with variables and functions evaluated; empty if the plan does not have this field. */
    default String text(String key) {
        return getPropertyAsString(key);
    }
}
