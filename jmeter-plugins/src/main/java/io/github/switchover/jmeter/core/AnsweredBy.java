package io.github.switchover.jmeter.core;

/** Who made the answer; {@code label()} is what stands in tags and sample logs. */
public enum AnsweredBy {
    /** A server behind the balancer. */
    BACKEND("backend"),
    /** The balancer itself, an error of its own for instance. */
    BALANCER("balancer"),
    /** There was an answer, but it did not say. */
    UNKNOWN("unknown"),
    /** There was no answer. */
    NONE("none");

    private final String label;

    AnsweredBy(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
