package io.github.switchover.jmeter.recording;

import org.apache.jmeter.control.TransactionController;
import org.apache.jmeter.samplers.SampleResult;

/** The result of a scrape or a fault: a sample for JMeter, but no request of the load. */
public final class NoRequest extends SampleResult {

    private static final long serialVersionUID = 1L;

    /** Returns true if the result is not a request of the load. The sum of a transaction is not a request either. */
    public static boolean is(SampleResult result) {
        return result instanceof NoRequest || TransactionController.isFromTransactionController(result);
    }

    /** Creates a started result with a text. */
    public static NoRequest start(String label) {
        NoRequest result = new NoRequest();
        result.setSampleLabel(label);
        result.setDataType(TEXT);
        result.sampleStart();
        return result;
    }

    public void finish(boolean success, String message, String text) {
        sampleEnd();
        setSuccessful(success);
        setResponseCode(success ? "200" : "failed");
        setResponseMessage(message);
        setResponseData(text, "UTF-8");
    }
}
