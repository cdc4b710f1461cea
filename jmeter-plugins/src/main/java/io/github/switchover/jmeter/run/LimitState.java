package io.github.switchover.jmeter.run;

import com.google.gson.annotations.SerializedName;
import java.util.Locale;

/** What became of a limit. */
public enum LimitState {
    @SerializedName("kept")
    KEPT,
    @SerializedName("broken")
    EXCEEDED,
    /** The limit lies within the figure's interval: this run cannot tell. */
    @SerializedName("inconclusive")
    INCONCLUSIVE,
    /** The run has no source for the figure. */
    @SerializedName("unmeasured")
    UNMEASURED;

    /** As it stands in verdict.json. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
