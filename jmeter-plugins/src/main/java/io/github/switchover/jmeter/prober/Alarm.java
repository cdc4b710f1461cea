package io.github.switchover.jmeter.prober;

import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Wakes the loop when a probe is due: a selector waits for whole milliseconds only, a parked thread to some ten µs.
 * Follows schedules of its own, so that nothing needs to be told to it.
 */
final class Alarm implements Runnable {

    private final List<Schedule> schedules;
    private final Runnable wake;
    private volatile boolean stopped;
    private volatile Thread thread;

    /** {@code schedules} are used by no other thread. */
    Alarm(List<Schedule> schedules, Runnable wake) {
        this.schedules = schedules;
        this.wake = wake;
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        while (!stopped) {
            long dueNs = Long.MAX_VALUE;
            for (Schedule schedule : schedules) {
                dueNs = Math.min(dueNs, schedule.nextDueNs());
            }
            long waitNs = dueNs - System.nanoTime();
            if (waitNs > 0) {
                LockSupport.parkNanos(waitNs);
                continue;
            }
            wake.run();
            long nowNs = System.nanoTime();
            for (Schedule schedule : schedules) {
                schedule.giveUpStale(nowNs);
                while (schedule.nextDueNs() <= nowNs) {
                    schedule.take();
                }
            }
        }
    }

    void stop() {
        stopped = true;
        Thread waiting = thread;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }
}
