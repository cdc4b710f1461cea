package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.run.Seal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Probes that have ended, from the loop, which must not wait, to the sink, which may be slow. Bounded. */
final class ProbeQueue implements Runnable {

    /** At 1,000 probes/s and 32 a batch, two minutes of a disk that does nothing. */
    private static final int WAITING_LIMIT = 4096;

    private static final Runnable END = ProbeQueue::end;

    private final ProbeSink sink;
    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>(WAITING_LIMIT);
    private final AtomicLong dropped = new AtomicLong();
    private volatile String failure;

    ProbeQueue(ProbeSink sink) {
        this.sink = sink;
    }

    /** Never waits. Called by one thread. */
    void give(List<ProbeResult> probes) {
        if (!waiting.offer(() -> hand(probes))) {
            dropped.addAndGet(probes.size());
            failure = "the disk was too slow for the probes";
        }
    }

    /** Never waits; skipped if the sink is late. */
    void tick(long beforeUs) {
        waiting.offer(() -> sink.secondPassed(beforeUs));
    }

    /** All that was given comes first; false if the sink does not even make room for this. */
    boolean end(long timeoutNs) throws InterruptedException {
        return waiting.offer(END, timeoutNs, TimeUnit.NANOSECONDS);
    }

    /** Probes that the sink never got, or that it lost. */
    long lost() {
        return dropped.get() + sink.lost();
    }

    Map<String, Seal> seals() {
        return sink.seals();
    }

    /** Why, in one line; null if all is well. */
    String warning() {
        return failure == null ? sink.warning() : failure;
    }

    @Override
    public void run() {
        try {
            for (Runnable work = waiting.take(); work != END; work = waiting.take()) {
                try {
                    work.run();
                } catch (RuntimeException error) {
                    // A failing sink must not end the prober.
                    failure = "the probes could not be recorded: " + error;
                }
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        } finally {
            sink.close();
        }
    }

    private static void end() {
        // The queue is not read after this.
    }

    private void hand(List<ProbeResult> probes) {
        boolean isTaken = false;
        try {
            sink.take(probes);
            isTaken = true;
        } finally {
            dropped.addAndGet(isTaken ? 0 : probes.size());
        }
    }
}
