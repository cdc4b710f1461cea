package io.github.switchover.jmeter.view;

import java.awt.AWTEvent;
import java.awt.EventQueue;
import java.awt.Toolkit;
import java.util.concurrent.atomic.AtomicInteger;

/** The window's events, and how many of them waited at once. */
final class CountedQueue extends EventQueue {

    /**
     * What can wait at once: each timer coalesces to one event, all repaints to one, and a layout to one; a resize or an
     * exposure by the display may come on top.
     */
    static final int TIMERS_AND_PAINTING = 8;

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    static CountedQueue push() {
        CountedQueue queue = new CountedQueue();
        Toolkit.getDefaultToolkit().getSystemEventQueue().push(queue);
        return queue;
    }

    void restart() {
        most.set(0);
    }

    int mostWaiting() {
        return most.get();
    }

    @Override
    public void postEvent(AWTEvent event) {
        most.accumulateAndGet(waiting.incrementAndGet(), Math::max);
        super.postEvent(event);
    }

    @Override
    protected void dispatchEvent(AWTEvent event) {
        waiting.decrementAndGet();
        super.dispatchEvent(event);
    }
}
