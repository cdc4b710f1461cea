package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Identity.AnsweredBy;

/**
 * The head of a response.
 *
 * @param status 0 without a status
 * @param session the hash of the sticky cookie's value
 * @param text status line and headers as received, as Latin-1
 * @param violation the reason why this is not an HTTP response, or empty; with a reason, the other values have no
 *     meaning
 */
public record Head(
        int status, String reason, Framing framing, Identity identity, String session, String text, String violation) {

    /**
     * The rule for the end of the answer.
     *
     * @param length bytes of the body, or {@link #UNTIL_CLOSE}, or {@link #CHUNKED}
     * @param persistent true if the connection may be used again
     */
    public record Framing(long length, boolean persistent) {}

    /** The body ends when the connection ends. */
    public static final long UNTIL_CLOSE = -1;

    /** The chunks give the length of the body. */
    public static final long CHUNKED = -2;

    /** The head of a request without an answer. */
    public static final Head NONE = new Head(0, "", new Framing(0, false), Identity.NONE, "", "", "");

    static Head broken(String violation) {
        Identity unknown = new Identity("", "", AnsweredBy.UNKNOWN);
        return new Head(0, "", new Framing(0, false), unknown, "", "", violation);
    }

    /** Returns true if another response follows (RFC 9110 section 15.2). After 101, no HTTP response follows. */
    boolean isInterim() {
        return status >= 100 && status < 200 && status != 101;
    }
}
