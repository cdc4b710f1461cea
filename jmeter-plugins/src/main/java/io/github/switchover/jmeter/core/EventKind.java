package io.github.switchover.jmeter.core;

import java.util.Locale;

/** What happened in a run; {@code label()} is the tag {@code kind} of a {@code switchover_event}. */
public enum EventKind {
    START,
    FAULT,
    FIRST_FAILURE,
    VRRP,
    FIRST_SUCCESS,
    HEAL,
    FAILBACK,
    CHANGE,
    UNDO,
    END,
    WARNING;

    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
