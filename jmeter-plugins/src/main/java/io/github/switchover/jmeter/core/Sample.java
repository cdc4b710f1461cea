package io.github.switchover.jmeter.core;

import io.github.switchover.jmeter.core.Outcome.FailureKind;
import org.jspecify.annotations.Nullable;

/** One request as the client observed it. */
public record Sample(
        SampleTimes times, SampleRequest request, SampleAnswer answer, Identity identity, SampleClient client) {

    /**
     * The times of a sample, in microseconds. Start, end and scheduled time are since the epoch, on the clock of the
     * run.
     *
     * @param intendedUs the scheduled time
     * @param connectUs from the start until the connection is established, including TLS; 0 on a kept connection
     * @param latencyUs from the start until the first byte of the answer
     */
    public record SampleTimes(
            long startUs, long endUs, @Nullable Long intendedUs, long connectUs, long latencyUs) {}

    /**
     * The request of a sample.
     *
     * @param attempts the number of times that the client sent the request, including retries of the client
     * @param stream {@code fresh} for a new connection, {@code kept} for a kept connection, or empty
     * @param session the hash of the sticky cookie's value
     */
    public record SampleRequest(String label, String url, long attempts, String stream, String session) {}

    /**
     * The answer of a sample.
     *
     * @param code the HTTP status; without an answer empty, or JMeter's {@code Non HTTP response code: } and a
     *     class
     */
    public record SampleAnswer(
            boolean success,
            @Nullable FailureKind error,
            String code,
            String message,
            String failureMessage,
            long receivedBytes,
            long sentBytes) {}

    /**
     * The client of a sample.
     *
     * @param users the number of active users in the client's process
     * @param groupUsers the number of active users in the thread group of the request
     */
    public record SampleClient(String thread, long users, long groupUsers) {

        /** Returns a client that is the only user of its process. */
        public static SampleClient alone(String thread) {
            return new SampleClient(thread, 1, 1);
        }
    }

    public long startUs() {
        return times.startUs;
    }

    public long endUs() {
        return times.endUs;
    }

    public boolean success() {
        return answer.success;
    }

    /** The kind of the failure; null if the sample did not fail, or the kind is unknown. */
    public @Nullable FailureKind error() {
        return answer.error;
    }
}
