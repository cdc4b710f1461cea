package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Identity.AnsweredBy;

/**
 * The head of a response.
 *
 * @param status 0 if there is none
 * @param session the sticky cookie's value, hashed
 * @param text status line and headers as they came, as Latin-1
 * @param violation why this is no HTTP response, the rest is then meaningless; or empty
 */
public record Head(
        int status, String reason, Framing framing, Identity identity, String session, String text, String violation) {

    /**
     * The end of the answer.
     *
     * @param length bytes of the body, or {@link #UNTIL_CLOSE}, or {@link #CHUNKED}
     * @param persistent the connection may be used again
     */
    public record Framing(long length, boolean persistent) {}

    /** Body length: up to the end of the connection. */
    public static final long UNTIL_CLOSE = -1;

    /** Body length: given by the chunks. */
    public static final long CHUNKED = -2;

    /** There was no answer. */
    public static final Head NONE = new Head(0, "", new Framing(0, false), Identity.NONE, "", "", "");

    static Head broken(String violation) {
        Identity unknown = new Identity("", "", AnsweredBy.UNKNOWN);
        return new Head(0, "", new Framing(0, false), unknown, "", "", violation);
    }

    /** Another response follows (RFC 9110 section 15.2); 101 would leave HTTP, and nothing follows. */
    boolean isInterim() {
        return status >= 100 && status < 200 && status != 101;
    }
}
