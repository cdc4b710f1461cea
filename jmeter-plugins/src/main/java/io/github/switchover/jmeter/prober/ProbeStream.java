package io.github.switchover.jmeter.prober;

/** One of the prober's two streams; {@code label()} is the tag and the column {@code stream}. */
public enum ProbeStream {
    /** Each probe on a connection of its own. */
    FRESH("fresh"),
    /** On connections that stay. */
    KEPT("kept");

    private final String label;

    ProbeStream(String label) {
        this.label = label;
    }

    public String label() {
        return label;
    }
}
