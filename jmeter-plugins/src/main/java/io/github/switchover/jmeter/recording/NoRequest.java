package io.github.switchover.jmeter.recording;

import org.apache.jmeter.samplers.SampleResult;

/**
 * The result of a sampler that asks nothing of the balancers' service: a scrape, or a fault. It is a sample of the test,
 * for JMeter's listeners and assertions, but no request of the load: it would count as an answer that was never given.
 */
public final class NoRequest extends SampleResult {

    private static final long serialVersionUID = 1L;
}
