package io.github.switchover.jmeter.http;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Answer.Progress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs all exchanges on one selector; only {@link #await} blocks. A request is never resent.
 *
 * <p>For one thread, except {@link #wake}.
 */
public final class Wire implements AutoCloseable {

    /** The number of events that are handled at once, so that due requests are not delayed for long. */
    public static final int BURST = 16;

    private static final int RECEIVE = 16 * 1024;
    private static final long NEVER_NS = Long.MAX_VALUE;

    private final HeadReader heads;
    private final Consumer<Attempt> done;
    private final Selector selector;
    private final ByteBuffer buffer = ByteBuffer.allocate(RECEIVE);
    private final Set<Connection> connections = new LinkedHashSet<>();

    /** The kept connection that is idle now. */
    private @Nullable Connection idle;

    private long nextExpiryNs = NEVER_NS;
    private int open;

    /** {@code heads} must not be shared. {@code done} is called once for each request, at its end. */
    public Wire(HeadReader heads, Consumer<Attempt> done) {
        this.heads = heads;
        this.done = done;
        try {
            selector = Selector.open();
        } catch (IOException error) {
            throw new UncheckedIOException("no selector: " + Failures.messageOf(error), error);
        }
    }

    /** Returns the number of requests in progress. */
    public int open() {
        return open;
    }

    /** Returns the earliest time at which a request in progress can time out. */
    public long nextExpiryNs() {
        return nextExpiryNs;
    }

    /** Sends a request now, on an idle connection if allowed. {@code dueNs}: its scheduled nanoTime; 0: now. */
    public void send(Request request, long dueNs) {
        open++;
        Exchange exchange = new Exchange(request, dueNs, heads);
        Connection connection = request.keepsConnection() ? takeIdle(request.destination()) : null;
        if (connection != null) {
            exchange.beginOnKept(connection);
            transmit(connection, exchange);
        } else {
            begin(exchange);
        }
        if (!exchange.isSent() && !exchange.hasEnded()) {
            expect(exchange);
        }
    }

    /** Waits at most this time for an event, and handles one burst of events. 0 or less: does not wait. */
    public void await(long waitNs) {
        int handled = 0;
        try {
            if (waitNs <= 0 || !selector.selectedKeys().isEmpty()) {
                selector.selectNow();
            } else {
                // The selector counts in whole ms.
                selector.select((waitNs + Units.NS_PER_MS - 1) / Units.NS_PER_MS);
            }
        } catch (IOException error) {
            throw new UncheckedIOException("the selector failed: " + Failures.messageOf(error), error);
        }
        Iterator<SelectionKey> ready = selector.selectedKeys().iterator();
        while (handled < BURST && ready.hasNext()) {
            SelectionKey key = ready.next();
            ready.remove();
            if (key.isValid()) {
                handled++;
                handle((Connection) key.attachment());
            }
        }
        long nowNs = System.nanoTime();
        if (nowNs >= nextExpiryNs && handled < BURST) {
            // All arrived data has been read now, so no request times out while its answer waits in the socket.
            expire(nowNs);
        }
    }

    /** Ends a wait; may be called on any thread. If no thread is waiting, the next wait ends at once. */
    public void wake() {
        selector.wakeup();
    }

    /** Ends all requests in progress with this failure. */
    public void abandon(FailureKind kind, String reason) {
        for (Connection connection : List.copyOf(connections)) {
            if (connection.exchange != null) {
                fail(connection.exchange, kind, reason);
            }
        }
    }

    @Override
    public void close() {
        List.copyOf(connections).forEach(this::close);
        idle = null;
        try {
            selector.close();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private void begin(Exchange exchange) {
        Request request = exchange.request;
        Connection connection;
        try {
            connection = Connection.open(request.destination(), request.keepsConnection());
        } catch (IOException error) {
            exchange.startNs = System.nanoTime();
            fail(exchange, FailureKind.GENERATOR, Failures.messageOf(error));
            return;
        }
        connections.add(connection);
        exchange.beginOnNew(connection);
        establish(connection, exchange);
    }

    private void handle(Connection connection) {
        Exchange exchange = connection.exchange;
        if (exchange == null) {
            // The server closed an idle connection, or sent unrequested data.
            idle = null;
            close(connection);
        } else if (exchange.isSent()) {
            receive(connection, exchange);
        } else if (connection.secured) {
            transmit(connection, exchange);
        } else {
            establish(connection, exchange);
        }
    }

    /** Connects, and does the TLS handshake if TLS is used. */
    private void establish(Connection connection, Exchange exchange) {
        try {
            if (connection.line == null && !connection.connect()) {
                connection.watch(selector, SelectionKey.OP_CONNECT);
                return;
            }
            if (exchange.connectedNs == 0) {
                exchange.connectedNs = System.nanoTime();
            }
            if (!connection.line().establish()) {
                connection.watch(selector, connection.line().waitsFor());
                return;
            }
        } catch (IOException error) {
            fail(exchange, error);
            return;
        } catch (RuntimeException error) {
            // A cryptographic exception in a handshake must not end the prober.
            fail(exchange, FailureKind.TLS, Failures.messageOf(error));
            return;
        }
        connection.secured = true;
        exchange.securedNs = connection.destination.tls() == null ? exchange.connectedNs : System.nanoTime();
        transmit(connection, exchange);
    }

    /** Sends the request, or its remaining part. */
    private void transmit(Connection connection, Exchange exchange) {
        try {
            if (!connection.line().write(exchange.unsent)) {
                connection.watch(selector, connection.line().waitsFor());
                return;
            }
            exchange.setSent();
            expect(exchange);
            connection.watch(selector, SelectionKey.OP_READ);
        } catch (IOException error) {
            fail(exchange, error);
        }
    }

    private void receive(Connection connection, Exchange exchange) {
        Answer answer = exchange.answer;
        do {
            int count;
            buffer.clear();
            try {
                count = connection.line().read(buffer);
            } catch (IOException error) {
                fail(exchange, error);
                return;
            }
            if (count == 0) {
                return;
            }
            long nowNs = System.nanoTime();
            if (count > 0 && exchange.firstNs == 0) {
                exchange.firstNs = nowNs;
            }
            Progress progress = count > 0 ? answer.feed(buffer.array(), 0, count) : answer.end();
            if (progress == Progress.DONE) {
                finish(connection, exchange, nowNs);
                return;
            }
            if (progress == Progress.BROKEN) {
                fail(exchange, FailureKind.PROTOCOL, answer.violation());
                return;
            }
            if (count < 0) {
                fail(exchange, FailureKind.TRUNCATED, "closed after " + answer.received() + " bytes of the answer");
                return;
            }
        } while (connection.line().hasBuffered());
    }

    /** Ends an exchange whose answer is complete. */
    private void finish(Connection connection, Exchange exchange, long endNs) {
        Head head = requireNonNull(exchange.answer.head());
        if (!exchange.request.expects(head.status())) {
            exchange.error = FailureKind.STATUS;
            exchange.message = "status " + head.status() + " is not among " + exchange.request.expect();
        }
        boolean isUsable = connection.keeps
                && idle == null
                && head.framing().persistent()
                && !exchange.answer.hasSurplus()
                && !connection.line().hasBuffered();
        if (isUsable) {
            connection.exchange = null;
            idle = connection;
        } else {
            close(connection);
        }
        conclude(exchange, endNs);
    }

    /** Returns the idle connection if it leads to this destination. */
    private @Nullable Connection takeIdle(Destination destination) {
        Connection taken = idle;
        idle = null;
        if (taken == null || taken.destination.equals(destination)) {
            return taken;
        }
        close(taken);
        return null;
    }

    private void expect(Exchange exchange) {
        nextExpiryNs = Math.min(nextExpiryNs, exchange.deadlineNs);
    }

    private void expire(long nowNs) {
        nextExpiryNs = NEVER_NS;
        for (Connection connection : List.copyOf(connections)) {
            Exchange exchange = connection.exchange;
            if (exchange != null && exchange.deadlineNs <= nowNs) {
                timeOut(exchange);
            } else if (exchange != null) {
                expect(exchange);
            }
        }
    }

    private void timeOut(Exchange exchange) {
        Timeouts timeouts = exchange.request.timeouts();
        if (exchange.securedNs == 0) {
            fail(exchange, FailureKind.CONNECT_TIMEOUT, "no connection within " + ms(timeouts.connectNs()) + " ms");
        } else {
            fail(exchange, FailureKind.READ_TIMEOUT, "no complete answer within " + ms(timeouts.readNs()) + " ms");
        }
    }

    private static String ms(long ns) {
        return Numbers.general(Units.msOfNs(ns));
    }

    private void fail(Exchange exchange, IOException error) {
        fail(exchange, Failures.kindOf(error, exchange.securedNs == 0), Failures.messageOf(error));
    }

    private void fail(Exchange exchange, FailureKind kind, String message) {
        exchange.error = kind;
        exchange.message = message;
        if (exchange.connection != null) {
            close(exchange.connection);
        }
        conclude(exchange, System.nanoTime());
    }

    private void conclude(Exchange exchange, long endNs) {
        exchange.endNs = endNs;
        exchange.connection = null;
        open--;
        if (open == 0) {
            nextExpiryNs = NEVER_NS;
        }
        done.accept(exchange.attempt());
    }

    private void close(Connection connection) {
        connections.remove(connection);
        connection.close();
    }
}
