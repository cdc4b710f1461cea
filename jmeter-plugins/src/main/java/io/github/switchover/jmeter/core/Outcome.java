package io.github.switchover.jmeter.core;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The outcome of one request; {@code label()} is its name in the points. */
public enum Outcome {
    GOOD,
    /** Answered well, but more than the late threshold after it was due (RFC 6412 section 3.7.1 counts delay). */
    LATE,
    FAILED,
    /** The client could not send it (no free port, no descriptor). It shows nothing about the balancer. */
    UNSENT;

    /** The part of the probes that may come late in the baseline: as many are late at any time. */
    public static final double LATE_SHARE = 0.01;

    private final String label = name().toLowerCase(Locale.ROOT);

    public String label() {
        return label;
    }

    /** {@code lateUs}: the latest that a good answer may come after it was due. */
    public static Outcome of(Sample sample, long lateUs) {
        return of(sample.success(), sample.error(), latencyUs(sample), lateUs);
    }

    /**
     * The outcome of a request that is no sample yet.
     *
     * @param success answered as expected, at any time
     * @param error null: none is known
     */
    public static Outcome of(boolean success, FailureKind error, long latencyUs, long lateUs) {
        if (error == FailureKind.GENERATOR) {
            return UNSENT;
        }
        if (!success) {
            return FAILED;
        }
        return latencyUs > lateUs ? LATE : GOOD;
    }

    /**
     * The outcome of a point's tag; journals of older versions have {@code ok} and {@code generator}. Null: unknown.
     */
    public static Outcome of(String tag) {
        return switch (tag) {
            case "good", "ok" -> GOOD;
            case "late" -> LATE;
            case "failed" -> FAILED;
            case "unsent", "generator" -> UNSENT;
            default -> null;
        };
    }

    /**
     * The time from when the request was due to the end of its answer; without a due time, from its start.
     *
     * <p>Counting from the schedule includes the wait that a held-up client would otherwise hide.
     */
    public static long latencyUs(Sample sample) {
        long dueUs = sample.times().intendedUs() == null
                ? sample.startUs()
                : sample.times().intendedUs();
        return sample.endUs() - dueUs;
    }

    public boolean isImpaired() {
        return this == FAILED || this == LATE;
    }

    /** Why a request failed, column {@code error} of the sample log: one enumeration for all generators. */
    public enum FailureKind {
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
        /** The client could not send: no port, no descriptor. Never the balancer's fault. */
        GENERATOR;

        private static final Map<String, FailureKind> BY_LABEL =
                Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(FailureKind::label, Function.identity()));

        private final String label = name().toLowerCase(Locale.ROOT);

        public String label() {
            return label;
        }

        /** Null for any other text. */
        public static FailureKind of(String label) {
            return BY_LABEL.get(label);
        }
    }
}
