package io.github.switchover.jmeter.core;

/**
 * A node's clock against the run's, as run.json has it: ahead by {@code offsetUs}, give or take {@code boundUs}.
 *
 * @param when {@link #BEFORE} or {@link #AFTER} the run
 * @param offsetUs null, like {@code boundUs}: the clock could not be read
 * @param error why; null: it could be read
 */
public record NodeClock(String node, String when, Long offsetUs, Long boundUs, String error) {

    public static final String BEFORE = "before";
    public static final String AFTER = "after";

    public boolean isKnown() {
        return offsetUs != null && boundUs != null;
    }
}
