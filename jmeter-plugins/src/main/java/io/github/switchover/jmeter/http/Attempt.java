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

    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    /** One that was begun then, of which nothing else is known yet. */
    public static AttemptBuilder builder(long startNs) {
        return new AttemptBuilder(startNs);
    }

    /** One that could not even be begun. */
    public static Attempt notMade(FailureKind error, String message) {
        long nowNs = System.nanoTime();
        return builder(nowNs)
                .dueNs(nowNs)
                .endNs(nowNs)
                .error(error)
                .message(message)
                .build();
    }

    /** Up to the usable connection, in ns; 0 if there was none, or none was needed. */
    public long connectNs() {
        return securedNs == 0 ? 0 : securedNs - startNs;
    }

    /** Up to the first byte of the answer, in ns; 0 without one. */
    public long latencyNs() {
        return firstNs == 0 ? 0 : firstNs - startNs;
    }

    /** An attempt as it is put together; what is not said did not come to pass. Not thread-safe. */
    public static final class AttemptBuilder {

        private final long startNs;
        private long dueNs;
        private long connectedNs;
        private long securedNs;
        private long sentNs;
        private long firstNs;
        private long endNs;
        private boolean keeps;
        private boolean reused;
        private boolean replacedIdle;
        private Head head = Head.NONE;
        private ByteBuffer body = EMPTY;
        private long receivedBytes;
        private long sentBytes;
        private FailureKind error;
        private String message = "";

        private AttemptBuilder(long startNs) {
            this.startNs = startNs;
        }

        public Attempt build() {
            return new Attempt(
                    dueNs,
                    startNs,
                    connectedNs,
                    securedNs,
                    sentNs,
                    firstNs,
                    endNs,
                    keeps,
                    reused,
                    replacedIdle,
                    head,
                    body,
                    receivedBytes,
                    sentBytes,
                    error,
                    message);
        }

        public AttemptBuilder dueNs(long value) {
            dueNs = value;
            return this;
        }

        public AttemptBuilder connectedNs(long value) {
            connectedNs = value;
            return this;
        }

        public AttemptBuilder securedNs(long value) {
            securedNs = value;
            return this;
        }

        public AttemptBuilder sentNs(long value) {
            sentNs = value;
            return this;
        }

        public AttemptBuilder firstNs(long value) {
            firstNs = value;
            return this;
        }

        public AttemptBuilder endNs(long value) {
            endNs = value;
            return this;
        }

        public AttemptBuilder keeps(boolean value) {
            keeps = value;
            return this;
        }

        public AttemptBuilder reused(boolean value) {
            reused = value;
            return this;
        }

        public AttemptBuilder replacedIdle(boolean value) {
            replacedIdle = value;
            return this;
        }

        public AttemptBuilder head(Head value) {
            head = value;
            return this;
        }

        public AttemptBuilder body(ByteBuffer value) {
            body = value;
            return this;
        }

        public AttemptBuilder receivedBytes(long value) {
            receivedBytes = value;
            return this;
        }

        public AttemptBuilder sentBytes(long value) {
            sentBytes = value;
            return this;
        }

        public AttemptBuilder error(FailureKind value) {
            error = value;
            return this;
        }

        public AttemptBuilder message(String value) {
            message = value;
            return this;
        }
    }
}
