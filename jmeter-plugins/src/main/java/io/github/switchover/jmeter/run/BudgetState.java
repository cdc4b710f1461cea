package io.github.switchover.jmeter.run;

import com.google.gson.annotations.SerializedName;
import java.util.Locale;

/** What became of a budget. */
public enum BudgetState {
    @SerializedName("kept")
    KEPT,
    @SerializedName("broken")
    BROKEN,
    /** The limit lies within the figure's interval: this run cannot tell. */
    @SerializedName("undecided")
    UNDECIDED,
    /** The run has no witness for the figure. */
    @SerializedName("unmeasured")
    UNMEASURED;

    /** As it stands in verdict.json. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }
}
