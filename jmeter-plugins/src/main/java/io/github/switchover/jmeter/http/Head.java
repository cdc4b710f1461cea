package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.Identity;

/** The head of a response: the hashed sticky cookie, the text as received, and the violation of HTTP, if any. */
public record Head(
        int status, String reason, Framing framing, Identity identity, String session, String text, String violation) {

    /** The end of the body ({@link #UNTIL_CLOSE}, {@link #CHUNKED} or bytes); true if the connection is reusable. */
    public record Framing(long length, boolean persistent) {}

    /** The body ends when the connection ends. */
    public static final long UNTIL_CLOSE = -1;

    /** The chunks give the length of the body. */
    public static final long CHUNKED = -2;

    /** The head of a request without an answer. */
    public static final Head NONE = new Head(0, "", new Framing(0, false), Identity.NONE, "", "", "");

    static Head broken(String violation) {

        return new Head(0, "", new Framing(0, false), Identity.UNKNOWN, "", "", violation);
    }

    /** Returns true if another response follows (RFC 9110 section 15.2). After 101, no HTTP response follows. */
    boolean isInterim() {
        return status >= 100 && status < 200 && status != 101;
    }
}
