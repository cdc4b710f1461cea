package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.Outcome.FailureKind;

/**
 * Sends one request at a time and waits for its result. For one thread, but for {@link #interrupt}.
 *
 * <p>A kept connection belongs to its client. If the server has closed it meanwhile, this is detected before the
 * request is sent, and the connection is replaced. A later end is a failure, as for any other client.
 */
public final class ProbeClient implements AutoCloseable {

    private final Wire wire;
    private Attempt last;
    private volatile FailureKind interrupted;

    /** {@code who} may be shared by all clients of a run; {@code stickyCookie} is null if there is none. */
    public ProbeClient(IdentityReader who, String stickyCookie) {
        wire = new Wire(new HeadReader(who, stickyCookie), attempt -> last = attempt);
    }

    /** Sends a request; failures of all kinds are an {@link Attempt} with an {@code error}. */
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
            // Or its socket would be open until the next request.
            wire.await(0);
        }
        Attempt attempt = last;
        last = null;
        return attempt;
    }

    /** Ends a request under way with this failure, from any thread. */
    public void interrupt(FailureKind kind) {
        interrupted = kind;
        wire.wake();
    }

    @Override
    public void close() {
        wire.close();
    }
}
