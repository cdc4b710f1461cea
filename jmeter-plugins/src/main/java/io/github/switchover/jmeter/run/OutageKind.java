package io.github.switchover.jmeter.run;

import com.google.gson.annotations.SerializedName;

/** What the impaired probes of an event amount to. */
public enum OutageKind {
    /** No probe was impaired: nothing was longer than the resolution. */
    @SerializedName("none")
    NONE,
    @SerializedName("outage")
    OUTAGE,
    /** Good answers between the impaired ones: no single gap fills half of the time from first to last. */
    @SerializedName("partial")
    PARTIAL
}
