package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.Inline;

/**
 * What of a node's {@code keepalived.conf} decides how long a switchover takes, by Keepalived's own names. What theory
 * predicts from it is told by {@code switchover report}.
 *
 * @param check the script that the instance tracks; null: none
 */
public record KeepalivedSettings(
        String instance,
        int version,
        int priority,
        @Inline VrrpAdverts adverts,
        @Inline VrrpPreemption preemption,
        Check check) {

    /** Keepalived's own defaults. */
    public static final KeepalivedSettings DEFAULT =
            new KeepalivedSettings("VI_1", 2, 100, new VrrpAdverts(1.0, 3, false), new VrrpPreemption(true, 0), null);

    /**
     * How a master says that it is there.
     *
     * @param downTimerAdverts so many must stay out until another takes over
     */
    public record VrrpAdverts(double advertIntS, int downTimerAdverts, boolean unicast) {}

    /** Whether a higher priority takes the address back, and after what wait. */
    public record VrrpPreemption(boolean preempt, double preemptDelayS) {}

    /**
     * A {@code vrrp_script}. Keepalived knows fractions of a second from 2.3.2 on.
     *
     * @param weight added to the priority while failed (negative), or 0: a failed check puts the node into FAULT
     * @param by what it looks at: {@code process}, {@code http} or {@code unknown}
     */
    public record Check(double intervalS, double timeoutS, int fall, int rise, int weight, String by) {

        public static final Check DEFAULT = new Check(1, 1, 1, 1, -20, "unknown");
    }
}
