package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.Units;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** One of the prober's threads: how it ended, and what it cost. It runs before it knows what for. */
final class ProberThread {

    private static final long START_TIMEOUT_S = 5;

    private final Thread thread;
    private final CompletableFuture<Runnable> work = new CompletableFuture<>();
    private final CompletableFuture<String> systemName = new CompletableFuture<>();
    private volatile Throwable failure;
    private volatile long cpuNs;

    ProberThread(String name) {
        thread = DaemonThread.start(name, this::run);
    }

    /** What it is for; once. */
    void begin(Runnable task) {
        work.complete(task);
    }

    /** There is nothing to do. */
    void cancel() {
        work.complete(() -> {});
    }

    /** Until it has ended, or the time is over; true if it has. */
    boolean join(long timeoutNs) throws InterruptedException {
        thread.join(Math.max(1, timeoutNs / Units.NS_PER_MS));
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
        systemName.complete(RealTimeScheduling.thread());
        try {
            work.join().run();
        } catch (RuntimeException | Error error) {
            failure = error;
        } finally {
            cpuNs = Math.max(0, ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
        }
    }
}
