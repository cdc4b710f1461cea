package io.github.switchover.jmeter.core;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Why a request failed, column {@code error} of the sample log: one enumeration for all generators. */
public enum FailureKind {
    REFUSED("refused"),
    RESET("reset"),
    UNREACHABLE("unreachable"),
    DNS("dns"),
    CONNECT_TIMEOUT("connect_timeout"),
    READ_TIMEOUT("read_timeout"),
    TLS("tls"),
    TRUNCATED("truncated"),
    PROTOCOL("protocol"),
    STATUS("status"),
    ASSERTION("assertion"),
    /** The client could not send: no port, no descriptor. Never the balancer's fault. */
    GENERATOR("generator");

    private static final Map<String, FailureKind> BY_LABEL =
            Arrays.stream(values()).collect(Collectors.toUnmodifiableMap(FailureKind::label, Function.identity()));

    private final String label;

    FailureKind(String label) {
        this.label = label;
    }

    /** What stands in the column. */
    public String label() {
        return label;
    }

    /** Null for any other text. */
    public static FailureKind of(String label) {
        return BY_LABEL.get(label);
    }
}
