package io.github.switchover.jmeter.engine;

import org.apache.jmeter.engine.ClientJMeterEngine;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.util.JMeterUtils;

/**
 * Adds Switchover's columns to JMeter's result files: sets the property {@code sample_variables} if it is not set.
 *
 * <p>JMeter reads it at the start of a local test, and its files write their header when they are notified of the
 * start. The property is set in between. The client of a remote test must not set it alone. Its servers read their
 * properties at that time, and a result without the values cannot be written. In a remote test it must be given as
 * {@code -Jsample_variables=…}.
 */
public final class SampleVariables {

    public static final String NAMES = "backend,balancer,answered_by";

    private SampleVariables() {}

    /** True if they are set now and were not before, and {@link #restore} is due after the test. */
    public static boolean set() {
        String chosen = JMeterUtils.getProperty(SampleEvent.SAMPLE_VARIABLES);
        if ((chosen != null && !chosen.isEmpty()) || isOnClientOfServers()) {
            return false;
        }
        JMeterUtils.setProperty(SampleEvent.SAMPLE_VARIABLES, NAMES);
        SampleEvent.initSampleVariables();
        return true;
    }

    /** Removes the property again for the next test in this JVM, which may be a remote one. */
    public static void restore() {
        JMeterUtils.getJMeterProperties().remove(SampleEvent.SAMPLE_VARIABLES);
        SampleEvent.initSampleVariables();
    }

    private static boolean isOnClientOfServers() {
        return StackWalker.getInstance()
                .walk(frames ->
                        frames.anyMatch(frame -> frame.getClassName().equals(ClientJMeterEngine.class.getName())));
    }
}
