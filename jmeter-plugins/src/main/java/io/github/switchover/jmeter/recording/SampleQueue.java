package io.github.switchover.jmeter.recording;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What was taken and is not written yet. Giving never waits: many threads give, one takes.
 *
 * <p>It is emptied several times a second, so it fills up only while the disk accepts nothing. Then it holds up to a
 * quarter of the memory that this process may have, at {@link #BYTES_EACH}: with JMeter's usual 1 GB that is 20,000
 * samples/s for 22 s, or 500/s for a quarter of an hour. What comes on top is refused, and counted by who gives it.
 */
final class SampleQueue {

    /** One sample with its link and texts of its own, measured at 270 to 490 bytes (JDK 17). */
    static final int BYTES_EACH = 600;

    private static final int SHARE = 4;

    private final Queue<WorkerSample> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicLong size = new AtomicLong();
    private final long limit;

    SampleQueue() {
        this(Runtime.getRuntime().maxMemory() / SHARE / BYTES_EACH);
    }

    SampleQueue(long limit) {
        this.limit = limit;
    }

    /** False if it is full. */
    boolean give(WorkerSample taken) {
        if (size.incrementAndGet() > limit) {
            size.decrementAndGet();
            return false;
        }
        waiting.add(taken);
        return true;
    }

    /** The oldest of one thread's; null if there is none. */
    WorkerSample take() {
        WorkerSample taken = waiting.poll();
        if (taken != null) {
            size.decrementAndGet();
        }
        return taken;
    }

    long size() {
        return size.get();
    }

    long limit() {
        return limit;
    }
}
