package io.github.switchover.jmeter.engine;

import org.apache.jmeter.engine.ClientJMeterEngine;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.util.JMeterUtils;

/**
 * Adds Switchover's columns to JMeter's result files, by setting the property {@code sample_variables} if it is not
 * set.
 *
 * <p>JMeter reads the property at the start of a local test. Its result files write their header when JMeter notifies
 * them of the start. The property is set between these two steps. On the client of a remote test, the property must not
 * be set here. The servers read their own properties, and a result without the values cannot be written. For a remote
 * test, use {@code -Jsample_variables=…}.
 */
public final class SampleVariables {

    public static final String NAMES = "backend,balancer,answered_by";

    private SampleVariables() {}

    /** Sets the property. Returns true if it was not set before; then call {@link #restore} after the test. */
    public static boolean set() {
        String chosen = JMeterUtils.getProperty(SampleEvent.SAMPLE_VARIABLES);
        if ((chosen != null && !chosen.isEmpty()) || isOnClientOfServers()) {
            return false;
        }
        JMeterUtils.setProperty(SampleEvent.SAMPLE_VARIABLES, NAMES);
        SampleEvent.initSampleVariables();
        return true;
    }

    /** Removes the property, because the next test in this JVM may be a remote test. */
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
