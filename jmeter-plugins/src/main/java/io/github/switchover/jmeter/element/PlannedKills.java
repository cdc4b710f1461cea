package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.engine.CurrentTest;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the Master Kills of a plan may fire. JMeter turns on all elements of a test before it tells any that the test has
 * started, so by then they are all known. Thread-safe.
 */
final class PlannedKills {

    private static final Set<String> FAULTS = new TreeSet<>();
    private static long startedMs;

    private PlannedKills() {}

    /** {@code fault}: its name; empty, or with a variable in it: not known before a thread comes to it. */
    static synchronized void add(String fault) {
        forgetEarlierTests();
        FAULTS.add(fault);
    }

    /** Of the test that is starting in this JVM. */
    static synchronized Set<String> ofThisTest() {
        forgetEarlierTests();
        return Set.copyOf(FAULTS);
    }

    private static void forgetEarlierTests() {
        long nowMs = CurrentTest.startedMs();
        if (nowMs != startedMs) {
            startedMs = nowMs;
            FAULTS.clear();
        }
    }
}
