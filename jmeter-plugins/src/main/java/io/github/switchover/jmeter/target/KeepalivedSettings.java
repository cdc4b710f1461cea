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

    public static final KeepalivedSettings DEFAULT = builder().build();

    public static KeepalivedBuilder builder() {
        return new KeepalivedBuilder();
    }

    /**
     * A {@code vrrp_script}. Keepalived knows fractions of a second from 2.3.2 on.
     *
     * @param weight added to the priority while failed (negative), or 0: a failed check puts the node into FAULT
     * @param by what it looks at: {@code process}, {@code http} or {@code unknown}
     */
    public record Check(double intervalS, double timeoutS, int fall, int rise, int weight, String by) {

        public static final Check DEFAULT = new Check(1, 1, 1, 1, -20, "unknown");
    }

    /** Settings as they are put together; what is not said is Keepalived's default. Not thread-safe. */
    public static final class KeepalivedBuilder {

        private int priority = 100;
        private double advertIntS = 1.0;
        private int version = 2;
        private boolean preempt = true;
        private double preemptDelayS;
        private int downTimerAdverts = 3;
        private boolean unicast;
        private String instance = "VI_1";
        private Check check;

        private KeepalivedBuilder() {}

        public KeepalivedSettings build() {
            return new KeepalivedSettings(
                    priority, advertIntS, version, preempt, preemptDelayS, downTimerAdverts, unicast, instance, check);
        }

        public KeepalivedBuilder priority(int value) {
            priority = value;
            return this;
        }

        public KeepalivedBuilder advertIntS(double value) {
            advertIntS = value;
            return this;
        }

        public KeepalivedBuilder version(int value) {
            version = value;
            return this;
        }

        public KeepalivedBuilder preempt(boolean value) {
            preempt = value;
            return this;
        }

        public KeepalivedBuilder preemptDelayS(double value) {
            preemptDelayS = value;
            return this;
        }

        public KeepalivedBuilder downTimerAdverts(int value) {
            downTimerAdverts = value;
            return this;
        }

        public KeepalivedBuilder unicast(boolean value) {
            unicast = value;
            return this;
        }

        public KeepalivedBuilder instance(String value) {
            instance = value;
            return this;
        }

        public KeepalivedBuilder check(Check value) {
            check = value;
            return this;
        }
    }
}
