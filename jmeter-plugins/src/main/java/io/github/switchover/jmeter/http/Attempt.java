package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.Outcome.FailureKind;
import java.nio.ByteBuffer;

/**
 * The result of one request that was sent once.
 *
 * @param head {@link Head#NONE} without an answer
 * @param body the first bytes of the body, as many as were requested
 * @param error null if the answer was an expected one
 * @param message the failure as text for people; or empty
 */
public record Attempt(
        AttemptTimes times,
        KeptConnection connection,
        AttemptBytes bytes,
        Head head,
        ByteBuffer body,
        FailureKind error,
        String message) {

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    /** Readings of {@link System#nanoTime}, in their order; 0: the attempt did not reach that step. */
    public record AttemptTimes(
            long dueNs, long startNs, long connectedNs, long securedNs, long sentNs, long firstNs, long endNs) {}

    /**
     * The use of a kept connection.
     *
     * @param keeps the request was to use a kept connection
     * @param reused it did use one
     */
    public record KeptConnection(boolean keeps, boolean reused) {}

    /** The bytes on the wire, without those that TLS adds. */
    public record AttemptBytes(long received, long sent) {}

    /** One that could not even be begun. */
    public static Attempt notMade(FailureKind error, String message) {
        long nowNs = System.nanoTime();
        return new Attempt(
                new AttemptTimes(nowNs, nowNs, 0, 0, 0, 0, nowNs),
                new KeptConnection(false, false),
                new AttemptBytes(0, 0),
                Head.NONE,
                EMPTY,
                error,
                message);
    }

    public long startNs() {
        return times.startNs;
    }

    public long endNs() {
        return times.endNs;
    }

    /** The ns up to the usable connection; 0 if there was none, or none was needed. */
    public long connectNs() {
        return times.securedNs == 0 ? 0 : times.securedNs - times.startNs;
    }

    /** The ns up to the first byte of the answer; 0 without one. */
    public long latencyNs() {
        return times.firstNs == 0 ? 0 : times.firstNs - times.startNs;
    }
}
