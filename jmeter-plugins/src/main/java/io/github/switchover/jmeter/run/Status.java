package io.github.switchover.jmeter.run;

import com.google.gson.annotations.SerializedName;
import java.util.Collection;

/** The word on a run, in the order in which they outrank each other, the loudest first. */
public enum Status {
    /** What the fault broke may still be broken. */
    @SerializedName("NOT HEALED")
    NOT_HEALED(2),
    /** The run ended before its plan did. */
    @SerializedName("STOPPED")
    STOPPED(2),
    /** A fault was planned, and was not fired. */
    @SerializedName("NOT FIRED")
    NOT_FIRED(2),
    /** A figure may be wrong. */
    @SerializedName("INVALID")
    INVALID(2),
    /** The service was not back when the run looked last. */
    @SerializedName("NOT RECOVERED")
    NOT_RECOVERED(1),
    /** A limit is exceeded. */
    @SerializedName("FAILED")
    FAILED(1),
    /** The limit lies within the figure's interval: this run cannot tell. */
    @SerializedName("INCONCLUSIVE")
    INCONCLUSIVE(2),
    /** Everything but the fault was done, on purpose. */
    @SerializedName("DRY RUN")
    DRY_RUN(0),
    /** All of it can be trusted, and the user gave no limit. */
    @SerializedName("MEASURED")
    MEASURED(0),
    /** All of it can be trusted, and every limit is kept. */
    @SerializedName("PASSED")
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

    /** The one that outranks the others; {@code otherwise}: if there is none. */
    public static Status loudest(Collection<Status> statuses, Status otherwise) {
        return statuses.stream().min(Status::compareTo).orElse(otherwise);
    }
}
