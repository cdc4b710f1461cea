package io.github.switchover.jmeter.http;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request at a time and waits for its result. For one thread, except {@link #interrupt}.
 *
 * <p>The client keeps its connection, and never resends a request. If the server closed the kept connection before a
 * request, the client opens a new connection. If the server closes it afterwards, the request fails.
 */
public final class ProbeClient implements AutoCloseable {

    private final Wire wire;
    private @Nullable Attempt last;
    private volatile @Nullable FailureKind interrupted;

    /** {@code who} may be shared by all clients of a run. */
    public ProbeClient(IdentityReader who, @Nullable String stickyCookie) {
        wire = new Wire(new HeadReader(who, stickyCookie), attempt -> last = attempt);
    }

    /** Sends a request. Any failure is returned as an {@link Attempt} with an {@code error}. */
    public Attempt send(Request request) {
        interrupted = null;
        if (request.keepsConnection()) {
            wire.await(0);
        }
        wire.send(request, 0);
        while (wire.open() > 0) {
            FailureKind kind = Thread.currentThread().isInterrupted() ? FailureKind.GENERATOR : interrupted;
            if (kind != null) {
                wire.abandon(kind, "interrupted before the answer came");
            } else {
                wire.await(wire.nextExpiryNs() - System.nanoTime());
            }
        }
        if (!request.keepsConnection()) {
            // Otherwise the socket would stay open until the next request.
            wire.await(0);
        }
        Attempt attempt = requireNonNull(last);
        last = null;
        return attempt;
    }

    /** Ends the request in progress with this failure; may be called on any thread. */
    public void interrupt(FailureKind kind) {
        interrupted = kind;
        wire.wake();
    }

    @Override
    public void close() {
        wire.close();
    }
}
