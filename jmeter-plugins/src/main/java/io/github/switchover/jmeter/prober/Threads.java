package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.prober.Threads.ProberThread.RealTimeScheduling;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * The three threads of one prober. The loop owns the sockets. The alarm wakes the loop when a probe is due. The third
 * thread gives the probes to the sink. They start before their work is known. Thread-safe.
 */
final class Threads {

    private static final long END_TIMEOUT_NS = 10_000_000_000L;

    private final ProberThread loop = new ProberThread("prober");
    private final ProberThread alarm = new ProberThread("prober alarm");
    private final ProberThread records = new ProberThread("prober records");
    private boolean realtime;

    /** Requests real-time scheduling for the loop and the alarm, if it is allowed. */
    synchronized void becomePunctual() {
        realtime = RealTimeScheduling.become(loop.systemName()) && RealTimeScheduling.become(alarm.systemName());
    }

    void giveBackPunctuality() {
        synchronized (this) {
            if (!realtime) {
                return;
            }
            realtime = false;
        }
        RealTimeScheduling.giveBack(loop.systemName());
        RealTimeScheduling.giveBack(alarm.systemName());
    }

    synchronized boolean arePunctual() {
        return realtime;
    }

    /** Gives the threads their work; called once. */
    void begin(Runnable looping, Runnable waking, Runnable recording) {
        loop.begin(looping);
        alarm.begin(waking);
        records.begin(recording);
    }

    /** There is nothing to do. */
    void cancel() {
        loop.cancel();
        alarm.cancel();
        records.cancel();
    }

    /** The operating system's name of the loop's thread; empty if it is unknown. */
    String sender() {
        return loop.systemName();
    }

    boolean isLoopAlive() {
        return loop.isAlive();
    }

    /** The exception that ended the loop unexpectedly; null if there was none. */
    Throwable failure() {
        return loop.failure();
    }

    /**
     * Waits for loop and alarm, which were already stopped, then ends the recording thread; true if all ended
     * normally.
     */
    boolean end(ProbeQueue queue, long probesTakeNs) {
        try {
            boolean loopEnded = loop.join(probesTakeNs + END_TIMEOUT_NS);
            boolean alarmEnded = alarm.join(END_TIMEOUT_NS);
            if (!queue.end(END_TIMEOUT_NS) || !records.join(END_TIMEOUT_NS)) {
                records.interrupt();
                return false;
            }
            return loopEnded && alarmEnded;
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** CPU time that all of them took; 0 before their end. */
    long cpuNs() {
        return loop.cpuNs() + alarm.cpuNs() + records.cpuNs();
    }

    /** One of the prober's threads: its end, and its CPU time. It starts before its work is known. */
    static final class ProberThread {

        private static final long START_TIMEOUT_S = 5;

        private final Thread thread;
        private final CompletableFuture<Runnable> work = new CompletableFuture<>();
        private final CompletableFuture<String> systemName = new CompletableFuture<>();
        private volatile Throwable failure;
        private volatile long cpuNs;

        ProberThread(String name) {
            thread = DaemonThread.start(name, this::run);
        }

        /** Gives the thread its work; called once. */
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

        /** The operating system's name of the thread, once it runs; empty if it is unknown. */
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

        /**
         * Real-time scheduling for the prober's threads, so that they are on time on a busy machine. It is used if it
         * is allowed, and given back if it takes too much. Java cannot request it, so util-linux's {@code chrt} does,
         * once for each thread.
         *
         * <p>Linux only; without the right to it (root, CAP_SYS_NICE or a limit of rtprio) nothing changes.
         */
        static final class RealTimeScheduling {

            private static final Path SELF = Path.of("/proc/thread-self");
            private static final long TIMEOUT_S = 5;

            private RealTimeScheduling() {}

            /** The operating system's name of the calling thread; empty if it is unknown. */
            static String thread() {
                try {
                    Path self = Files.readSymbolicLink(SELF);
                    return self.getFileName().toString();
                } catch (IOException | UnsupportedOperationException error) {
                    return "";
                }
            }

            /** True if that thread has real-time scheduling now, at its lowest priority. */
            static boolean become(String thread) {
                return !thread.isEmpty() && chrt("--rr", "1", thread);
            }

            static void giveBack(String thread) {
                chrt("--other", "0", thread);
            }

            private static boolean chrt(String policy, String priority, String thread) {
                try {
                    Process process = new ProcessBuilder(List.of("chrt", policy, "--pid", priority, thread))
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
                    process.getOutputStream().close();
                    boolean ended = process.waitFor(TIMEOUT_S, TimeUnit.SECONDS);
                    if (!ended) {
                        process.destroyForcibly();
                    }
                    return ended && process.exitValue() == 0;
                } catch (IOException error) {
                    return false;
                } catch (InterruptedException error) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        }
    }
}
