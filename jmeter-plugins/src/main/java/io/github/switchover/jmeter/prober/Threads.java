package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.Units;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The threads of a prober: the loop with the sockets, the alarm that wakes it, and the recorder. Thread-safe. */
final class Threads {

    private static final long END_TIMEOUT_NS = 10_000_000_000L;

    private final ProberThread loop;
    private final ProberThread alarm;
    private final ProberThread records;

    Threads(Runnable looping, Runnable waking, Runnable recording) {
        loop = new ProberThread("prober", looping);
        alarm = new ProberThread("prober alarm", waking);
        records = new ProberThread("prober records", recording);
    }

    /** The operating system's name of the loop's thread; empty if it is unknown. */
    String sender() {
        return loop.systemName.completeOnTimeout("", 5, TimeUnit.SECONDS).join();
    }

    boolean isLoopAlive() {
        return loop.thread.isAlive();
    }

    /** Returns the exception that ended the loop. */
    @Nullable
    Throwable failure() {
        return loop.failure;
    }

    /** Waits for the stopped loop and alarm, then ends the recorder. Returns true if all threads ended normally. */
    boolean end(ProbeQueue queue, long probesTakeNs) {
        try {
            boolean loopEnded = loop.join(probesTakeNs + END_TIMEOUT_NS);
            boolean alarmEnded = alarm.join(END_TIMEOUT_NS);
            if (!queue.end(END_TIMEOUT_NS) || !records.join(END_TIMEOUT_NS)) {
                records.thread.interrupt();
                return false;
            }
            return loopEnded && alarmEnded;
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Returns the processor time of all threads in ns; 0 before their end. */
    long cpuNs() {
        return loop.cpuNs + alarm.cpuNs + records.cpuNs;
    }

    /** One thread of the prober, which records the end and the processor time of the thread. */
    private static final class ProberThread {

        private static final Path SELF = Path.of("/proc/thread-self");

        private final CompletableFuture<String> systemName = new CompletableFuture<>();
        private final Thread thread;
        private volatile @Nullable Throwable failure;
        private volatile long cpuNs;

        ProberThread(String name, Runnable work) {
            thread = DaemonThread.start(name, () -> run(work));
        }

        boolean join(long timeoutNs) throws InterruptedException {
            thread.join(Math.max(1, timeoutNs / Units.NS_PER_MS));
            return !thread.isAlive();
        }

        private void run(Runnable work) {
            try {
                systemName.complete(Files.readSymbolicLink(SELF).getFileName().toString());
            } catch (IOException | UnsupportedOperationException error) {
                systemName.complete(""); // Systems other than Linux do not have this file.
            }
            try {
                work.run();
            } catch (RuntimeException | Error error) {
                failure = error;
            } finally {
                cpuNs = Math.max(0, ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
            }
        }
    }
}
