package io.github.switchover.jmeter.run;

import com.google.gson.annotations.SerializedName;
import io.github.switchover.jmeter.core.Numbers;

/** What the limit of a budget counts in; a share is 0 to 1. */
public enum BudgetUnit {
    @SerializedName("ms")
    MILLISECONDS,
    @SerializedName("share")
    SHARE,
    @SerializedName("requests")
    REQUESTS;

    /** A limit or a value for people: {@code 5s}, {@code 1.25%}, {@code 20}. */
    public String format(double value) {
        return switch (this) {
            case SHARE -> trimmed(Numbers.fixed(value * 100, 4)) + "%";
            case REQUESTS -> Numbers.fixed(value, 0);
            case MILLISECONDS -> trimmed(Numbers.fixed(value / 1000, 3)) + "s";
        };
    }

    private static String trimmed(String decimals) {
        return decimals.replaceFirst("\\.?0+$", "");
    }
}
