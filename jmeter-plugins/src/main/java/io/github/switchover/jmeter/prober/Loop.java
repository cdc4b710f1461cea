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
 * Sends the probes that are due, then reads the answers, then ends the probes whose time is over. Runs until {@link
 * #stop}, then until the last probe under way has ended.
 */
final class Loop implements Runnable {

    /** Probes handed on together. */
    static final int BATCH = 32;

    /** Probes sent in a row when late, so that answers are not left unread for long. */
    private static final int BURST = 16;

    /** The ns of the sample log that the end of the process can cost. */
    private static final long FLUSH_NS = 100_000_000;

    private static final long STATUS_NS = Units.NS_PER_S;
    private static final long NEVER_NS = Long.MAX_VALUE;

    /** A stream with the request that it sends. */
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

    /**
     * {@code eachSecond} is called once a second, on the loop's thread.
     */
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

    /** The accounts, for the thread that runs this, and for any after its end. */
    Map<ProbeStream, Feed> feeds() {
        return feeds;
    }

    /** Ends the wait of the loop, if it waits. */
    void wake() {
        wire.wake();
    }

    /** Stops sending; every slot that is already due counts as scheduled, no later one. */
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
            // Nothing has reason to interrupt this thread; a selector would never wait again.
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
