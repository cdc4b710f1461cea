package io.github.switchover.jmeter.recording;

import org.apache.jmeter.control.TransactionController;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.TestElement;

/**
 * The result of a sampler that sends no request to the balancers' service: a scrape, or a fault. JMeter's listeners and
 * assertions treat it as a sample. It is not counted as a request of the load.
 */
public final class NoRequest extends SampleResult {

    private static final long serialVersionUID = 1L;

    /**
     * JMeter's Flow Control Action, which makes no sample. It is named here as text, because its jar is not needed
     * otherwise.
     */
    private static final String FLOW_CONTROL = "org.apache.jmeter.sampler.TestAction";

    /** A sampler whose results are never requests of the load. */
    public interface AsksNothing {}

    /** Returns true if the result is not a request of the load. The sum of a transaction is not a request either. */
    public static boolean is(SampleResult result) {
        return result instanceof NoRequest || TransactionController.isFromTransactionController(result);
    }

    public static boolean isNotMadeBy(TestElement sampler) {
        return !(sampler instanceof AsksNothing)
                && !sampler.getClass().getName().equals(FLOW_CONTROL);
    }
}
