package io.github.switchover.jmeter.http;

/** How far an answer has come. */
public enum Progress {
    /** The response is not complete. */
    MORE,
    DONE,
    /** It is no HTTP response; {@link Answer#violation} says why. */
    BROKEN
}
