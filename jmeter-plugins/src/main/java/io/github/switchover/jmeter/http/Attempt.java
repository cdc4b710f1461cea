package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.FailureKind;
import java.nio.ByteBuffer;

/**
 * What became of one request that was sent once. Times are readings of {@link System#nanoTime}, in their order; 0: it
 * did not come to that.
 *
 * @param dueNs when it should have been sent; in a closed loop the same as {@code startNs}
 * @param startNs when the connection was begun; on a kept one, when the request was sent
 * @param connectedNs the connection stands; on a kept one {@code startNs}
 * @param securedNs it is usable: the end of the TLS handshake, in the clear {@code connectedNs}
 * @param sentNs the request has left
 * @param firstNs the first byte of the answer was read
 * @param endNs the answer was complete, or the failure was noticed
 * @param keeps it was meant to go over a kept connection
 * @param reused it did
 * @param replacedIdle a kept connection was found closed by the server, and a new one took its place before anything
 *     was sent
 * @param head {@link Head#NONE} without an answer
 * @param body the first bytes of the body, as many as were asked for
 * @param error null if the answer was one that was expected
 * @param message what went wrong, for people; or empty
 */
public record Attempt(
        long dueNs,
        long startNs,
        long connectedNs,
        long securedNs,
        long sentNs,
        long firstNs,
        long endNs,
        boolean keeps,
        boolean reused,
        boolean replacedIdle,
        Head head,
        ByteBuffer body,
        long receivedBytes,
        long sentBytes,
        FailureKind error,
        String message) {

    /** One that could not even be begun. */
    public static Attempt notMade(FailureKind error, String message) {
        long nowNs = System.nanoTime();
        return new Attempt(
                nowNs,
                nowNs,
                0,
                0,
                0,
                0,
                nowNs,
                false,
                false,
                false,
                Head.NONE,
                ByteBuffer.allocate(0),
                0,
                0,
                error,
                message);
    }

    /** Up to the usable connection, in ns; 0 if there was none, or none was needed. */
    public long connectNs() {
        return securedNs == 0 ? 0 : securedNs - startNs;
    }

    /** Up to the first byte of the answer, in ns; 0 without one. */
    public long latencyNs() {
        return firstNs == 0 ? 0 : firstNs - startNs;
    }
}
