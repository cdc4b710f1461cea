package io.github.switchover.jmeter.command;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Waits that an interrupt does not shorten: when JMeter stops a test, a heal must still be completed. */
public final class UninterruptedWait {

    /** True if the process ended within the given time. */
    public static boolean awaitExit(Process process, long timeoutNs) {
        return patiently(leftNs -> process.waitFor(leftNs, TimeUnit.NANOSECONDS), timeoutNs);
    }

    /** True if the latch opened within the given time. */
    public static boolean await(CountDownLatch latch, long timeoutNs) {
        return patiently(leftNs -> latch.await(leftNs, TimeUnit.NANOSECONDS), timeoutNs);
    }

    /** True if the thread ended within the given time. */
    public static boolean join(Thread thread, long timeoutNs) {
        return patiently(
                leftNs -> {
                    TimeUnit.NANOSECONDS.timedJoin(thread, leftNs);
                    return !thread.isAlive();
                },
                timeoutNs);
    }

    private interface Wait {
        boolean forAtMost(long ns) throws InterruptedException;
    }

    private static boolean patiently(Wait wait, long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return wait.forAtMost(deadlineNs - System.nanoTime());
                } catch (InterruptedException error) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
