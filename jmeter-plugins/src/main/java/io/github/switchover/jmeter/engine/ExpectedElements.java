package io.github.switchover.jmeter.engine;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.jmeter.engine.DistributedRunner;

/**
 * Who is still to come. JMeter starts the servers of a remote test one after the other, so the first may have ended
 * before the last begins.
 *
 * <p>JMeter turns a server's elements on, then sends them to it, and only when that server's test has started they hear
 * of it. JMeter does not tell which servers there will be; but as long as it is at it, it has not come back from starting
 * them. Thread-safe.
 */
public final class ExpectedElements {

    /** From being turned on to being told: the way to the server, and what it evaluates before its test starts. */
    public static final long PATIENCE_NS = 30_000_000_000L;

    private final BooleanSupplier isStarting;
    private final LongSupplier nanoTime;
    private final IdentityHashMap<Object, Long> announced = new IdentityHashMap<>();
    private final Set<Object> givenUp = Collections.newSetFromMap(new IdentityHashMap<>());

    public ExpectedElements() {
        this(ExpectedElements::isJMeterStarting, System::nanoTime);
    }

    public ExpectedElements(BooleanSupplier isStarting, LongSupplier nanoTime) {
        this.isStarting = isStarting;
        this.nanoTime = nanoTime;
    }

    public synchronized void announce(Object element) {
        givenUp.remove(element);
        announced.put(element, nanoTime.getAsLong());
    }

    /** False if its run has ended without it. */
    public synchronized boolean arrived(Object element) {
        announced.remove(element);
        return !givenUp.contains(element);
    }

    public boolean areExpected() {
        return isAnyOnItsWay() || isStarting.getAsBoolean();
    }

    /** The run ends without those that should have been there by now: they shall not begin another. */
    public synchronized void giveUp() {
        givenUp.clear();
        announced.forEach((element, sinceNs) -> {
            if (isOverdue(sinceNs)) {
                givenUp.add(element);
            }
        });
        announced.keySet().removeAll(givenUp);
    }

    private synchronized boolean isAnyOnItsWay() {
        return announced.values().stream().anyMatch(sinceNs -> !isOverdue(sinceNs));
    }

    private boolean isOverdue(long sinceNs) {
        return nanoTime.getAsLong() - sinceNs >= PATIENCE_NS;
    }

    private static boolean isJMeterStarting() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(ExpectedElements::isStart);
    }

    private static boolean isStart(StackTraceElement call) {
        return call.getClassName().equals(DistributedRunner.class.getName())
                && call.getMethodName().equals("start");
    }
}
