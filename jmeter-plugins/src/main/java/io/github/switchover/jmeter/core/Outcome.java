package io.github.switchover.jmeter.core;

import org.jspecify.annotations.Nullable;

/** The outcome of one request; {@code label()} is its name in the points. */
public enum Outcome implements Labelled {
    GOOD,
    /** A good answer arrived, but later than the late threshold after the scheduled time (RFC 6412 section 3.7.1). */
    LATE,
    FAILED,
    /** The client could not send the request (no free port, no descriptor). The balancer is not the cause. */
    UNSENT;

    /** The largest share of late probes in a usable baseline. A healthy system may reach this share. */
    public static final double LATE_SHARE = 0.01;

    /** {@code lateUs}: the late threshold, counted from the scheduled time. */
    public static Outcome of(Sample sample, long lateUs) {
        return of(sample.success(), sample.error(), latencyUs(sample), lateUs);
    }

    /** Returns the outcome of a request that has not been converted to a sample. */
    public static Outcome of(boolean success, @Nullable FailureKind error, long latencyUs, long lateUs) {
        if (error == FailureKind.GENERATOR) {
            return UNSENT;
        }
        if (!success) {
            return FAILED;
        }
        return latencyUs > lateUs ? LATE : GOOD;
    }

    /** Returns the time from the scheduled time, or without a schedule from the start, to the end of the answer. */
    public static long latencyUs(Sample sample) {
        long dueUs = sample.times().intendedUs() == null
                ? sample.startUs()
                : sample.times().intendedUs();
        return sample.endUs() - dueUs;
    }

    public boolean isImpaired() {
        return this == FAILED || this == LATE;
    }

    /** The kind of a failure, column {@code error} of the sample log. All load generators use these kinds. */
    public enum FailureKind implements Labelled {
        REFUSED,
        RESET,
        UNREACHABLE,
        DNS,
        CONNECT_TIMEOUT,
        READ_TIMEOUT,
        TLS,
        TRUNCATED,
        PROTOCOL,
        STATUS,
        ASSERTION,
        /** The client could not send the request (no port, no descriptor). The balancer is never the cause. */
        GENERATOR;
    }
}
