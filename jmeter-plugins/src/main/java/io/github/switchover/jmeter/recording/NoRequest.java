package io.github.switchover.jmeter.recording;

import org.apache.jmeter.control.TransactionController;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.TestElement;

/**
 * The result of a sampler that sends no request to the balancers' service: a scrape, or a fault. It is a sample of
 * the test, for JMeter's listeners and assertions. It is no request of the load: it would count as an answer that was
 * never given.
 */
public final class NoRequest extends SampleResult {

    private static final long serialVersionUID = 1L;

    /** JMeter's Flow Control Action, in a jar that is not needed otherwise: a sampler that makes no sample. */
    private static final String FLOW_CONTROL = "org.apache.jmeter.sampler.TestAction";

    /** A sampler all of whose results are such. */
    public interface AsksNothing {}

    /** A result that is no request of the load; a transaction's sum is none. */
    public static boolean is(SampleResult result) {
        return result instanceof NoRequest || TransactionController.isFromTransactionController(result);
    }

    public static boolean isNotMadeBy(TestElement sampler) {
        return !(sampler instanceof AsksNothing)
                && !sampler.getClass().getName().equals(FLOW_CONTROL);
    }
}
