package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.AnsweredBy;
import io.github.switchover.jmeter.core.Identity;

/**
 * What is known of a response before its body.
 *
 * @param status 0 if there is none
 * @param length bytes of the body, or {@link #UNTIL_CLOSE}, or {@link #CHUNKED}
 * @param persistent the connection may be used again
 * @param session the sticky cookie's value, hashed
 * @param text status line and headers as they came, as Latin-1
 * @param violation why this is no HTTP response, the rest is then meaningless; or empty
 */
public record Head(
        int status,
        String reason,
        long length,
        boolean persistent,
        Identity identity,
        String session,
        String text,
        String violation) {

    /** Body length: up to the end of the connection. */
    public static final long UNTIL_CLOSE = -1;

    /** Body length: as the chunks say. */
    public static final long CHUNKED = -2;

    /** There was no answer. */
    public static final Head NONE = builder(0).build();

    /** One with this status, of which nothing else is known yet. */
    public static HeadBuilder builder(int status) {
        return new HeadBuilder(status);
    }

    static Head broken(String violation) {
        Identity unknown = new Identity("", "", AnsweredBy.UNKNOWN);
        return builder(0).identity(unknown).violation(violation).build();
    }

    /** Another response follows (RFC 9110 section 15.2); 101 would leave HTTP, and nothing follows. */
    boolean isInterim() {
        return status >= 100 && status < 200 && status != 101;
    }

    /** A head as it is put together; what is not said is empty. Not thread-safe. */
    public static final class HeadBuilder {

        private final int status;
        private String reason = "";
        private long length;
        private boolean persistent;
        private Identity identity = Identity.NONE;
        private String session = "";
        private String text = "";
        private String violation = "";

        private HeadBuilder(int status) {
            this.status = status;
        }

        public Head build() {
            return new Head(status, reason, length, persistent, identity, session, text, violation);
        }

        public HeadBuilder reason(String value) {
            reason = value;
            return this;
        }

        public HeadBuilder length(long value) {
            length = value;
            return this;
        }

        public HeadBuilder persistent(boolean value) {
            persistent = value;
            return this;
        }

        public HeadBuilder identity(Identity value) {
            identity = value;
            return this;
        }

        public HeadBuilder session(String value) {
            session = value;
            return this;
        }

        public HeadBuilder text(String value) {
            text = value;
            return this;
        }

        public HeadBuilder violation(String value) {
            violation = value;
            return this;
        }
    }
}
