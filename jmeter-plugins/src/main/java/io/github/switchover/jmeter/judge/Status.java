package io.github.switchover.jmeter.judge;

/** The word on a run, in the order in which they outrank each other, the loudest first. */
public enum Status {
    /** What the fault broke may still be broken. */
    NOT_HEALED(2),
    /** The run ended before its plan did. */
    STOPPED(2),
    /** A fault was planned, and was not fired. */
    NOT_FIRED(2),
    /** A figure may be wrong. */
    INVALID(2),
    /** The service was not back when the run looked last. */
    NOT_RECOVERED(1),
    /** A limit is exceeded. */
    FAILED(1),
    /** The limit lies within the figure's interval: this run cannot tell. */
    INCONCLUSIVE(2),
    /** Everything but the fault was done, on purpose. */
    DRY_RUN(0),
    /** All of it can be trusted, and the user gave no limit. */
    MEASURED(0),
    /** All of it can be trusted, and every limit is kept. */
    PASSED(0);

    private final int exitCode;

    Status(int exitCode) {
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }

    /** As it is printed: {@code NOT FIRED}. */
    public String text() {
        return name().replace('_', ' ');
    }

    /** A figure may be wrong, or be one of something else than the plan says. */
    public boolean isDistrust() {
        return exitCode == 2 && this != INCONCLUSIVE;
    }
}
