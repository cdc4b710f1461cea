package io.github.switchover.jmeter.judge;

/** The phases of a run, in their order; {@code label()} stands in verdict.json. */
public enum PhaseName {
    BASELINE("baseline"),
    SWITCHOVER("switchover"),
    DEGRADED("degraded"),
    FAILBACK("failback"),
    RECOVERED("recovered");

    private final String label;

    PhaseName(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
