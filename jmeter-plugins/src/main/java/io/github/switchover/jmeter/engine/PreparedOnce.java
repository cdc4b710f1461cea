package io.github.switchover.jmeter.engine;

import java.io.Serial;
import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.testbeans.TestBeanHelper;
import org.apache.jmeter.testelement.AbstractTestElement;

/**
 * A thread's own copy of a post-processor, whose fields are set at the thread's first sample and stay as they are. It is
 * no bean: before each sample JMeter sets the fields of a bean, by reflection, which takes longer than to find out who
 * answered.
 */
public final class PreparedOnce<T extends AbstractTestElement & PostProcessor> extends AbstractTestElement
        implements PostProcessor {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient T element;
    private transient boolean prepared;

    public PreparedOnce(T element) {
        this.element = element;
        setName(element.getName());
    }

    @Override
    public void process() {
        if (!prepared) {
            TestBeanHelper.prepare(element);
            prepared = true;
        }
        element.process();
    }
}
