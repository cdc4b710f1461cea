package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.HeadReader;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Wire;
import io.github.switchover.jmeter.prober.ProbeResult.ProbeStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * The loop of the prober: sends the due probes, reads the answers, and ends the probes that timed out. After {@link
 * #stop} it runs until the last probe in progress has ended.
 */
final class Loop implements Runnable {

    /** The number of probes that are passed to the sink together. */
    static final int BATCH = 32;

    /** The number of late probes that are sent at once, so that answers do not stay unread for long. */
    private static final int BURST = 16;

    /** The part of the sample log, in ns, that is lost if the process is killed. */
    private static final long FLUSH_NS = 100_000_000;

    private static final long STATUS_NS = Units.NS_PER_S;
    private static final long NEVER_NS = Long.MAX_VALUE;

    /** A stream, with the request that it sends. */
    record Feed(StreamAccount account, Request request) {}

    private final RunClock clock;
    private final long lateNs;
    private final Map<ProbeStream, Feed> feeds = new EnumMap<>(ProbeStream.class);
    private final ProbeQueue queue;
    private final Consumer<Loop> eachSecond;
    private final Wire wire;
    private List<ProbeResult> ended = new ArrayList<>(BATCH);
    private volatile boolean stopping;
    private long nextDueNs;

    /** {@code eachSecond} is called once a second, on the loop's thread. */
    Loop(
            RunClock clock,
            HeadReader heads,
            long lateNs,
            Map<ProbeStream, Feed> feeds,
            ProbeQueue queue,
            Consumer<Loop> eachSecond) {
        this.clock = clock;
        this.lateNs = lateNs;
        this.feeds.putAll(feeds);
        this.queue = queue;
        this.eachSecond = eachSecond;
        wire = new Wire(heads, this::conclude);
    }

    /** Returns the accounts, for the loop's thread, and for any thread after the end of the loop. */
    Map<ProbeStream, Feed> feeds() {
        return feeds;
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
                eachSecond.accept(this);
                queue.tick(clock.fromNanoTime(nowNs) / Units.NS_PER_US);
                nextStatusNs = nowNs + STATUS_NS;
            }
        }
    }

    private void sendDue(long nowNs) {
        nextDueNs = NEVER_NS;
        for (Feed feed : feeds.values()) {
            Schedule schedule = feed.account.schedule();
            schedule.giveUpStale(nowNs);
            for (int sent = 0; sent < BURST && schedule.nextDueNs() <= nowNs; sent++) {
                wire.send(feed.request, schedule.take());
            }
            nextDueNs = Math.min(nextDueNs, schedule.nextDueNs());
        }
    }

    private void conclude(Attempt attempt) {
        ProbeStream stream = attempt.connection().keeps() ? ProbeStream.KEPT : ProbeStream.FRESH;
        long dueUs = us(attempt.times().dueNs());
        long endUs = us(attempt.endNs());
        Outcome outcome = Outcome.of(attempt.error() == null, attempt.error(), endUs - dueUs, lateNs / Units.NS_PER_US);
        ProbeResult probe = new ProbeResult(stream, dueUs, us(attempt.startNs()), endUs, outcome, attempt);
        feeds.get(stream).account.conclude(probe);
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
