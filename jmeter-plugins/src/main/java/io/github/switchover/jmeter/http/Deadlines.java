package io.github.switchover.jmeter.http;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/**
 * Whose time is over next, of all exchanges under way. Not thread-safe.
 *
 * <p>Who connects and who waits for an answer may take different times, but all of the same kind the same: so the
 * deadlines of each kind come in the order in which they were added, and only the first need be looked at. An exchange
 * that has ended or moved on meanwhile is passed over when its turn comes, which costs less than to look for it.
 */
final class Deadlines {

    private static final long NEVER_NS = Long.MAX_VALUE;

    private final Deque<Exchange> connecting = new ArrayDeque<>();
    private final Deque<Exchange> reading = new ArrayDeque<>();
    private long nextNs = NEVER_NS;

    /** No deadline comes before this. */
    long nextNs() {
        return nextNs;
    }

    /** Its request is not sent yet. */
    void addConnecting(Exchange exchange) {
        add(connecting, exchange);
    }

    /** Its request is sent. */
    void addReading(Exchange exchange) {
        add(reading, exchange);
    }

    /** Hands over each whose time is over. */
    void expire(long nowNs, Consumer<Exchange> over) {
        expireFirst(connecting, nowNs, false, over);
        expireFirst(reading, nowNs, true, over);
        nextNs = Math.min(ofFirst(connecting), ofFirst(reading));
    }

    /** Nothing is under way. */
    void clear() {
        connecting.clear();
        reading.clear();
        nextNs = NEVER_NS;
    }

    private void add(Deque<Exchange> waiting, Exchange exchange) {
        nextNs = Math.min(nextNs, exchange.deadlineNs);
        waiting.add(exchange);
    }

    private static void expireFirst(Deque<Exchange> waiting, long nowNs, boolean sent, Consumer<Exchange> over) {
        for (Exchange first = waiting.peekFirst(); first != null; first = waiting.peekFirst()) {
            boolean movedOn = first.hasEnded() || first.isSent() != sent;
            if (!movedOn && first.deadlineNs > nowNs) {
                return;
            }
            waiting.removeFirst();
            if (!movedOn) {
                over.accept(first);
            }
        }
    }

    private static long ofFirst(Deque<Exchange> waiting) {
        Exchange first = waiting.peekFirst();
        return first == null ? NEVER_NS : first.deadlineNs;
    }
}
