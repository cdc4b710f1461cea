package io.github.switchover.jmeter.metronome;

/** How a probe is judged; {@code label()} is the tag {@code outcome}. */
public enum ProbeOutcome {
    OK("ok"),
    FAILED("failed"),
    /** Good, but after the threshold. */
    LATE("late");

    private final String label;

    ProbeOutcome(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
