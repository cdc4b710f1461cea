package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.HeadReader;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Wire;
import java.util.ArrayList;
import java.util.List;

/** The loop of the prober. After {@link #stop} it runs until the last probe in progress has ended. */
final class Loop implements Runnable {

    /** The number of probes that are passed to the sink together. */
    static final int BATCH = 32;

    /** The number of late probes that are sent at once, so that answers do not stay unread for long. */
    private static final int BURST = 16;

    /** The time between two flushes of the sample log. A killed process loses the rows since the last flush. */
    private static final long FLUSH_NS = 100_000_000;

    private static final long STATUS_NS = Units.NS_PER_S;
    private static final long NEVER_NS = Long.MAX_VALUE;

    private final RunClock clock;
    private final long lateNs;
    private final ProbeAccount account;
    private final Request request;
    private final ProbeQueue queue;
    private final Runnable eachSecond;
    private final Wire wire;
    private List<ProbeResult> ended = new ArrayList<>(BATCH);
    private volatile boolean stopping;
    private long nextDueNs;

    /** {@code eachSecond} is called once a second, on the loop's thread. */
    Loop(
            RunClock clock,
            HeadReader heads,
            long lateNs,
            ProbeAccount account,
            Request request,
            ProbeQueue queue,
            Runnable eachSecond) {
        this.clock = clock;
        this.lateNs = lateNs;
        this.account = account;
        this.request = request;
        this.queue = queue;
        this.eachSecond = eachSecond;
        wire = new Wire(heads, this::conclude);
    }

    /** Ends the wait of the loop if the loop is waiting. */
    void wake() {
        wire.wake();
    }

    /** Stops sending. Slots that are already due count as scheduled; later slots do not. */
    void stop() {
        stopping = true;
        wire.wake();
    }

    @Override
    public void run() {
        try (wire) {
            go();
        } finally {
            flush();
        }
    }

    private void go() {
        long nextFlushNs = System.nanoTime();
        long nextStatusNs = nextFlushNs;
        while (wire.open() > 0 || !stopping) {
            long nowNs = System.nanoTime();
            if (stopping) {
                nextDueNs = NEVER_NS;
            } else if (nowNs >= nextDueNs) {
                sendDue(nowNs);
            }
            // Clear the interrupt flag: otherwise the selector would never wait again. No code interrupts this thread
            // on purpose.
            Thread.interrupted();
            long next = Math.min(Math.min(nextDueNs, wire.nextExpiryNs()), Math.min(nextFlushNs, nextStatusNs));
            wire.await(next - System.nanoTime());
            nowNs = System.nanoTime();
            if (ended.size() >= BATCH || nowNs >= nextFlushNs) {
                flush();
                nextFlushNs = nowNs + FLUSH_NS;
            }
            if (nowNs >= nextStatusNs) {
                eachSecond.run();
                queue.tick(clock.fromNanoTime(nowNs) / Units.NS_PER_US);
                nextStatusNs = nowNs + STATUS_NS;
            }
        }
    }

    private void sendDue(long nowNs) {
        Schedule schedule = account.schedule();
        schedule.giveUpStale(nowNs);
        for (int sent = 0; sent < BURST && schedule.nextDueNs() <= nowNs; sent++) {
            wire.send(request, schedule.take());
        }
        nextDueNs = schedule.nextDueNs();
    }

    private void conclude(Attempt attempt) {
        long dueUs = us(attempt.times().dueNs());
        long endUs = us(attempt.endNs());
        Outcome outcome = Outcome.of(attempt.error() == null, attempt.error(), endUs - dueUs, lateNs / Units.NS_PER_US);
        ProbeResult probe = new ProbeResult(dueUs, us(attempt.startNs()), endUs, outcome, attempt);
        account.conclude(probe);
        ended.add(probe);
    }

    private void flush() {
        if (!ended.isEmpty()) {
            queue.give(ended);
            ended = new ArrayList<>(BATCH);
        }
    }

    private long us(long nanoTime) {
        return Units.usOfNs(clock.fromNanoTime(nanoTime));
    }
}
