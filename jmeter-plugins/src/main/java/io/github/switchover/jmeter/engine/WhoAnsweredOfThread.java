package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.element.WhoAnswered;
import java.io.Serial;
import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.testbeans.TestBeanHelper;
import org.apache.jmeter.testelement.AbstractTestElement;

/**
 * A thread's own {@link WhoAnswered}, which is no bean: before each sample JMeter would set the fields of one, by reflection,
 * and that takes longer than to find out who answered. They stay what they are at the thread's first sample.
 */
public final class WhoAnsweredOfThread extends AbstractTestElement implements PostProcessor {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient WhoAnswered element;
    private transient boolean prepared;

    public WhoAnsweredOfThread(WhoAnswered element) {
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
