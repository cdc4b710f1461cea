package io.github.switchover.jmeter.http;

/** Takes the bytes of a body as they come, chunks already undone. */
interface BodySink {

    /** For a body that is only counted. */
    BodySink NOWHERE = (data, from, to) -> {};

    void take(byte[] data, int from, int to);
}
