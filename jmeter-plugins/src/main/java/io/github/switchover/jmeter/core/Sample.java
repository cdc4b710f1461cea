package io.github.switchover.jmeter.core;

import io.github.switchover.jmeter.core.Outcome.FailureKind;
import org.jspecify.annotations.Nullable;

/** One request as the client observed it. */
public record Sample(
        SampleTimes times, SampleRequest request, SampleAnswer answer, Identity identity, SampleClient client) {

    /** Times in µs. {@code connectUs} (0 on a kept connection) and {@code latencyUs} count from the start. */
    public record SampleTimes(
            long startUs, long endUs, @Nullable Long intendedUs, long connectUs, long latencyUs) {}

    /** The request. {@code stream}: {@code fresh}, {@code kept} or empty; {@code session}: the hashed sticky cookie. */
    public record SampleRequest(String label, String url, long attempts, String stream, String session) {}

    /** The answer. {@code code}: the HTTP status; without an answer empty, or JMeter's name of the exception. */
    public record SampleAnswer(
            boolean success,
            @Nullable FailureKind error,
            String code,
            String message,
            String failureMessage,
            long receivedBytes,
            long sentBytes) {}

    /** The client, with the active users of its process and of its thread group. */
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
