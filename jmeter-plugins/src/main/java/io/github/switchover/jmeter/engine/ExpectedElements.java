package io.github.switchover.jmeter.engine;

import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.jmeter.engine.DistributedRunner;
import org.jspecify.annotations.Nullable;

/**
 * The elements of servers that have not started yet, while another server's test may already end. Thread-safe.
 *
 * <p>JMeter activates the elements of a server, sends them, and notifies them when the test of that server has started.
 * One thread activates all elements. While that thread is still starting servers, more elements may come.
 */
public final class ExpectedElements {

    /** The longest time from activating an element to its notification, in ns. */
    public static final long PATIENCE_NS = 30_000_000_000L;

    private final Predicate<Thread> isStarting;
    private final LongSupplier nanoTime;
    private final IdentityHashMap<Object, Long> announced = new IdentityHashMap<>();
    private final Set<Object> givenUp = Collections.newSetFromMap(new IdentityHashMap<>());

    /** The thread that activated the last element: one thread starts all servers. Null before the first element. */
    private @Nullable Thread starter;

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

    /** Returns false if the run ended without this element. */
    public synchronized boolean arrived(Object element) {
        announced.remove(element);
        return !givenUp.contains(element);
    }

    public synchronized boolean areExpected() {
        return announced.values().stream().anyMatch(sinceNs -> !isOverdue(sinceNs))
                || (starter != null && isStarting.test(starter));
    }

    /** Stops waiting for the elements that are overdue. These elements must not start a new run. */
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

    /** The stack of the thread is the only place where JMeter shows that it is still starting servers. */
    private static boolean startsServers(Thread starter) {
        return Arrays.stream(starter.getStackTrace())
                .anyMatch(call -> call.getClassName().equals(DistributedRunner.class.getName())
                        && call.getMethodName().equals("start"));
    }
}
