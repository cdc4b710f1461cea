package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.run.Seal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Passes finished probes from the loop, which must not block, to the sink, which may be slow. Bounded. */
final class ProbeQueue implements Runnable {

    /** The most batches in the queue: two minutes of probes, at 1,000 probes/s and 32 probes in a batch. */
    private static final int WAITING_LIMIT = 4096;

    private static final Runnable END = ProbeQueue::end;

    private final ProbeSink sink;
    private final BlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>(WAITING_LIMIT);
    private final AtomicLong dropped = new AtomicLong();
    private volatile @Nullable String failure;

    ProbeQueue(ProbeSink sink) {
        this.sink = sink;
    }

    /** Adds probes without blocking. Called by one thread. */
    void give(List<ProbeResult> probes) {
        if (!waiting.offer(() -> hand(probes))) {
            dropped.addAndGet(probes.size());
            failure = "the disk was too slow for the probes";
        }
    }

    /** Notifies the sink without blocking, unless the queue is full. */
    void tick(long beforeUs) {
        waiting.offer(() -> sink.secondPassed(beforeUs));
    }

    /** Ends the queue after all probes in it. Returns false if the queue stays full until the time-out. */
    boolean end(long timeoutNs) throws InterruptedException {
        return waiting.offer(END, timeoutNs, TimeUnit.NANOSECONDS);
    }

    /** Returns the number of probes that the sink did not receive, or lost. */
    long lost() {
        return dropped.get() + sink.lost();
    }

    Map<String, Seal> seals() {
        return sink.seals();
    }

    /** Returns the reason for lost probes in one line. */
    @Nullable
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
        // No thread reads the queue any more.
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
