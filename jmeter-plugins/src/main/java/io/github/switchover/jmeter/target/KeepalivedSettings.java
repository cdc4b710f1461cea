package io.github.switchover.jmeter.target;

/**
 * What of a node's {@code keepalived.conf} decides how long a switchover takes, by Keepalived's own names. What theory
 * predicts from it is told by {@code switchover report}.
 *
 * @param check the script that the instance tracks; null: none
 */
public record KeepalivedSettings(
        int priority,
        double advertIntS,
        int version,
        boolean preempt,
        double preemptDelayS,
        int downTimerAdverts,
        boolean unicast,
        String instance,
        Check check) {

    public static final KeepalivedSettings DEFAULT =
            new KeepalivedSettings(100, 1.0, 2, true, 0.0, 3, false, "VI_1", null);

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
