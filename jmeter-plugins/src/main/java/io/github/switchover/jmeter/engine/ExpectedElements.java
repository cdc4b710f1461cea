package io.github.switchover.jmeter.engine;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.jmeter.engine.DistributedRunner;

/**
 * The elements that are still to start. JMeter starts the servers of a remote test one after the other, so the first
 * may have ended before the last begins.
 *
 * <p>JMeter turns a server's elements on, and then sends them to it. They are notified only when that server's test
 * has started. JMeter does not announce its servers; but it turns all elements on from one thread. Until that thread
 * has come back from starting servers, more may come. Thread-safe.
 */
public final class ExpectedElements {

    /**
     * The ns from turning an element on to its notification: the way to the server, and the evaluation before its
     * test starts.
     */
    public static final long PATIENCE_NS = 30_000_000_000L;

    private final Predicate<Thread> isStarting;
    private final LongSupplier nanoTime;
    private final IdentityHashMap<Object, Long> announced = new IdentityHashMap<>();
    private final Set<Object> givenUp = Collections.newSetFromMap(new IdentityHashMap<>());

    /** The thread that turned the last element on: JMeter starts all servers on one thread. Null before the first. */
    private Thread starter;

    public ExpectedElements() {
        this(ExpectedElements::startsServers, System::nanoTime);
    }

    public ExpectedElements(Predicate<Thread> isStarting, LongSupplier nanoTime) {
        this.isStarting = isStarting;
        this.nanoTime = nanoTime;
    }

    public synchronized void announce(Object element) {
        givenUp.remove(element);
        announced.put(element, nanoTime.getAsLong());
        starter = Thread.currentThread();
    }

    /** False if its run has ended without it. */
    public synchronized boolean arrived(Object element) {
        announced.remove(element);
        return !givenUp.contains(element);
    }

    public synchronized boolean areExpected() {
        return announced.values().stream().anyMatch(sinceNs -> !isOverdue(sinceNs))
                || (starter != null && isStarting.test(starter));
    }

    /** The run ends without the elements that are overdue: they must not begin another run. */
    public synchronized void giveUp() {
        givenUp.clear();
        announced.forEach((element, sinceNs) -> {
            if (isOverdue(sinceNs)) {
                givenUp.add(element);
            }
        });
        announced.keySet().removeAll(givenUp);
    }

    private boolean isOverdue(long sinceNs) {
        return nanoTime.getAsLong() - sinceNs >= PATIENCE_NS;
    }

    /** JMeter shows nowhere else that it has begun to start servers, or that it has started the last one. */
    private static boolean startsServers(Thread starter) {
        return Arrays.stream(starter.getStackTrace())
                .anyMatch(call -> call.getClassName().equals(DistributedRunner.class.getName())
                        && call.getMethodName().equals("start"));
    }
}
