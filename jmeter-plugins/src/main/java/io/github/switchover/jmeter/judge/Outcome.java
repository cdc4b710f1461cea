package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Sample;

/** What became of one request, as every figure sees it. */
public enum Outcome {
    GOOD,
    /** Answered well, but more than the late threshold after it was due (RFC 6412 section 3.7.1 counts delay). */
    LATE,
    FAILED,
    /** The client could not send (no free port, no descriptor): says nothing about the balancer. */
    GENERATOR;

    /** {@code lateUs}: the latest that a good answer may come after it was due. */
    public static Outcome of(Sample sample, long lateUs) {
        if (sample.error() == FailureKind.GENERATOR) {
            return GENERATOR;
        }
        if (!sample.success()) {
            return FAILED;
        }
        return latencyUs(sample) > lateUs ? LATE : GOOD;
    }

    /**
     * From when the request was due to the end of its answer; from its start where nothing was due.
     *
     * <p>Counting from the schedule keeps a client that was held up from hiding what its users would have waited.
     */
    public static long latencyUs(Sample sample) {
        long dueUs = sample.intendedUs() == null ? sample.startUs() : sample.intendedUs();
        return sample.endUs() - dueUs;
    }

    public boolean isImpaired() {
        return this == FAILED || this == LATE;
    }
}
