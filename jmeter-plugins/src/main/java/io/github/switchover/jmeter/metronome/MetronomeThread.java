package io.github.switchover.jmeter.metronome;

import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One of the metronome's threads: how it ended, and what it cost. */
final class MetronomeThread {

    private static final long START_TIMEOUT_S = 5;

    private final Thread thread;
    private final Runnable work;
    private final CompletableFuture<String> systemName = new CompletableFuture<>();
    private volatile Throwable failure;
    private volatile long cpuNs;

    MetronomeThread(String name, Runnable work) {
        this.work = work;
        thread = new Thread(this::run, name);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Until it has ended, or the time is over; true if it has. */
    boolean join(long timeoutNs) throws InterruptedException {
        thread.join(Math.max(1, timeoutNs / 1_000_000));
        return !thread.isAlive();
    }

    void interrupt() {
        thread.interrupt();
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    /** Why it ended, if it should not have. */
    Throwable failure() {
        return failure;
    }

    /** What the operating system calls it, once it runs; empty if that cannot be told. */
    String systemName() {
        return systemName
                .completeOnTimeout("", START_TIMEOUT_S, TimeUnit.SECONDS)
                .join();
    }

    /** CPU time that it took; 0 before its end. */
    long cpuNs() {
        return cpuNs;
    }

    private void run() {
        systemName.complete(Punctual.thread());
        try {
            work.run();
        } catch (RuntimeException | Error error) {
            failure = error;
        } finally {
            cpuNs = Math.max(0, ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
        }
    }
}
