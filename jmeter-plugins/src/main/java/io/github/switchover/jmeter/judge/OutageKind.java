package io.github.switchover.jmeter.judge;

/** What the impaired probes of an event amount to; {@code label()} stands in verdict.json. */
public enum OutageKind {
    /** No probe was impaired: less than one probe interval. */
    NONE("none"),
    OUTAGE("outage"),
    /** Good answers between the impaired ones: no single gap fills half of the time from first to last. */
    PARTIAL("partial");

    private final String label;

    OutageKind(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
