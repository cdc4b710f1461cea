package io.github.switchover.jmeter.core;

/**
 * One request as the client saw it; times are microseconds since the epoch, on the run's clock.
 *
 * @param intendedUs when it was due by its schedule; null in a closed loop
 * @param code HTTP status; without an answer empty, or JMeter's {@code Non HTTP response code: } and a class
 * @param latencyUs from start to the first byte of the answer
 * @param connectUs from start to the established connection, TLS included; 0 on a kept one
 * @param error null if it did not fail, or the reason is unknown
 * @param attempts how often the client really sent the request
 * @param stream {@code fresh} connection, {@code kept} connection, or empty
 * @param session the sticky cookie's value, hashed
 * @param users how many were active in the client's process
 * @param groupUsers how many of them in the request's thread group
 */
public record Sample(
        long startUs,
        long endUs,
        Long intendedUs,
        String label,
        String code,
        String message,
        String thread,
        boolean success,
        String failureMessage,
        long nbytes,
        long sentBytes,
        String url,
        long latencyUs,
        long connectUs,
        Identity identity,
        FailureKind error,
        long attempts,
        String stream,
        String session,
        long users,
        long groupUsers) {

    /** One between these times, of which nothing else is known yet. */
    public static SampleBuilder builder(long startUs, long endUs) {
        return new SampleBuilder(startUs, endUs);
    }

    /** A sample as it is put together, field by field: of what is not said there is nothing, but one user and one attempt. Not thread-safe. */
    public static final class SampleBuilder {

        private final long startUs;
        private final long endUs;
        private Long intendedUs;
        private String label = "";
        private String code = "";
        private String message = "";
        private String thread = "";
        private boolean success;
        private String failureMessage = "";
        private long nbytes;
        private long sentBytes;
        private String url = "";
        private long latencyUs;
        private long connectUs;
        private Identity identity = Identity.NONE;
        private FailureKind error;
        private long attempts = 1;
        private String stream = "";
        private String session = "";
        private long users = 1;
        private long groupUsers = 1;

        private SampleBuilder(long startUs, long endUs) {
            this.startUs = startUs;
            this.endUs = endUs;
        }

        public Sample build() {
            return new Sample(
                    startUs,
                    endUs,
                    intendedUs,
                    label,
                    code,
                    message,
                    thread,
                    success,
                    failureMessage,
                    nbytes,
                    sentBytes,
                    url,
                    latencyUs,
                    connectUs,
                    identity,
                    error,
                    attempts,
                    stream,
                    session,
                    users,
                    groupUsers);
        }

        public SampleBuilder intendedUs(Long value) {
            intendedUs = value;
            return this;
        }

        public SampleBuilder label(String value) {
            label = value;
            return this;
        }

        public SampleBuilder code(String value) {
            code = value;
            return this;
        }

        public SampleBuilder message(String value) {
            message = value;
            return this;
        }

        public SampleBuilder thread(String value) {
            thread = value;
            return this;
        }

        public SampleBuilder success(boolean value) {
            success = value;
            return this;
        }

        public SampleBuilder failureMessage(String value) {
            failureMessage = value;
            return this;
        }

        public SampleBuilder nbytes(long value) {
            nbytes = value;
            return this;
        }

        public SampleBuilder sentBytes(long value) {
            sentBytes = value;
            return this;
        }

        public SampleBuilder url(String value) {
            url = value;
            return this;
        }

        public SampleBuilder latencyUs(long value) {
            latencyUs = value;
            return this;
        }

        public SampleBuilder connectUs(long value) {
            connectUs = value;
            return this;
        }

        public SampleBuilder identity(Identity value) {
            identity = value;
            return this;
        }

        public SampleBuilder error(FailureKind value) {
            error = value;
            return this;
        }

        public SampleBuilder attempts(long value) {
            attempts = value;
            return this;
        }

        public SampleBuilder stream(String value) {
            stream = value;
            return this;
        }

        public SampleBuilder session(String value) {
            session = value;
            return this;
        }

        public SampleBuilder users(long value) {
            users = value;
            return this;
        }

        public SampleBuilder groupUsers(long value) {
            groupUsers = value;
            return this;
        }
    }
}
