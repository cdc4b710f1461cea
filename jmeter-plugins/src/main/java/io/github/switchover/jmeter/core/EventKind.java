package io.github.switchover.jmeter.core;

/** What happened in a run; {@code label()} is the tag {@code kind} of a {@code switchover_event}. */
public enum EventKind {
    START("start"),
    FAULT("fault"),
    FIRST_FAILURE("first_failure"),
    VRRP("vrrp"),
    FIRST_SUCCESS("first_success"),
    HEAL("heal"),
    FAILBACK("failback"),
    CHANGE("change"),
    UNDO("undo"),
    END("end"),
    WARNING("warning");

    private final String label;

    EventKind(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
