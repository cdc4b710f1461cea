package io.github.switchover.jmeter.core;

import io.github.switchover.jmeter.core.Outcome.FailureKind;

/** One request as the client saw it. */
public record Sample(
        SampleTimes times, SampleRequest request, SampleAnswer answer, Identity identity, SampleClient client) {

    /**
     * Microseconds since the epoch, on the run's clock.
     *
     * @param intendedUs when it was due by its schedule; null in a closed loop
     * @param connectUs from start to the established connection, TLS included; 0 on a kept one
     * @param latencyUs from start to the first byte of the answer
     */
    public record SampleTimes(long startUs, long endUs, Long intendedUs, long connectUs, long latencyUs) {}

    /**
     * The request of a sample.
     *
     * @param attempts how often the client really sent the request
     * @param stream {@code fresh} connection, {@code kept} connection, or empty
     * @param session the sticky cookie's value, hashed
     */
    public record SampleRequest(String label, String url, long attempts, String stream, String session) {}

    /**
     * The answer of a sample.
     *
     * @param error null if it did not fail, or the reason is unknown
     * @param code HTTP status; without an answer empty, or JMeter's {@code Non HTTP response code: } and a class
     */
    public record SampleAnswer(
            boolean success,
            FailureKind error,
            String code,
            String message,
            String failureMessage,
            long receivedBytes,
            long sentBytes) {}

    /**
     * The client of a sample.
     *
     * @param users how many were active in the client's process
     * @param groupUsers how many of them in the request's thread group
     */
    public record SampleClient(String thread, long users, long groupUsers) {

        /** The only user of its process. */
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
    public FailureKind error() {
        return answer.error;
    }
}
