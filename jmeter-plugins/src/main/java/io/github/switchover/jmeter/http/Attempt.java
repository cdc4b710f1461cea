package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.Outcome.FailureKind;
import org.jspecify.annotations.Nullable;

/** The result of one request that was sent once, with the first bytes of the body, and the failure, if any. */
@SuppressWarnings("ArrayRecordComponent") // Results are not compared.
public record Attempt(
        AttemptTimes times,
        boolean reused,
        AttemptBytes bytes,
        Head head,
        byte[] body,
        @Nullable FailureKind error,
        String message) {

    /** Values of {@link System#nanoTime}, in the order of the steps; 0: the attempt did not reach the step. */
    public record AttemptTimes(
            long dueNs, long startNs, long connectedNs, long securedNs, long sentNs, long firstNs, long endNs) {}

    /** The bytes on the network, without the bytes that TLS adds. */
    public record AttemptBytes(long received, long sent) {}

    /** Returns the result of an attempt that could not start. */
    public static Attempt notMade(FailureKind error, String message) {
        long nowNs = System.nanoTime();
        return new Attempt(
                new AttemptTimes(nowNs, nowNs, 0, 0, 0, 0, nowNs),
                false,
                new AttemptBytes(0, 0),
                Head.NONE,
                new byte[0],
                error,
                message);
    }

    public long startNs() {
        return times.startNs;
    }

    public long endNs() {
        return times.endNs;
    }

    /** Returns the ns until the connection was usable; 0 without a new connection. */
    public long connectNs() {
        return times.securedNs == 0 ? 0 : times.securedNs - times.startNs;
    }

    /** Returns the ns until the first byte of the answer; 0 without an answer. */
    public long latencyNs() {
        return times.firstNs == 0 ? 0 : times.firstNs - times.startNs;
    }
}
