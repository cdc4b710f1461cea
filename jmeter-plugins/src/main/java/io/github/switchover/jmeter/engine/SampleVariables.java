package io.github.switchover.jmeter.engine;

import org.apache.jmeter.engine.ClientJMeterEngine;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.util.JMeterUtils;

/**
 * Lets JMeter's own result files have our columns: its property {@code sample_variables}, where it is not set.
 *
 * <p>JMeter reads it at the start of a local test, and its files write their header when they hear of the start; so the
 * time in between is used. The client of a remote test must not have it alone: its servers read their own at that time,
 * and a result without the values cannot be written. There it has to be given as {@code -Jsample_variables=…}.
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

    /** As it was, for the next test in this JVM, which may be a remote one. */
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
