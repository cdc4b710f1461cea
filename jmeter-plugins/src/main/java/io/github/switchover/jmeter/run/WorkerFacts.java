package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;

/**
 * A process that made load.
 *
 * @param here the file is in this run directory
 * @param joined {@code start} or {@code late}
 * @param ended {@link #STOPPED} or {@link #LOST}
 */
public record WorkerFacts(
        @Inline Origin origin,
        Boolean here,
        @Inline Recorded recorded,
        @Inline Clock clock,
        String joined,
        String ended) {

    /** A server that went away before anything of its load was recorded here. */
    public static WorkerFacts unheard(String server) {
        return new WorkerFacts(
                new Origin(server, hostOf(server), null),
                false,
                new Recorded(null, null, null, null),
                new Clock(null, null),
                "start",
                LOST);
    }

    /** Of JMeter's {@code host:port}. */
    public static String hostOf(String server) {
        int colon = server.indexOf(':', server.indexOf(']') + 1);
        return colon < 0 ? server : server.substring(0, colon);
    }

    public static final String STOPPED = "stopped";
    /** It went away without a word. */
    public static final String LOST = "lost";

    /**
     * Who it is.
     *
     * @param worker its name; empty: the process that recorded the run
     * @param part the file that has its samples; null: there is none
     */
    public record Origin(String worker, String host, String part) {}

    /**
     * What it made.
     *
     * @param points samples that are counted in the traffic
     * @param lost samples that were not written down
     * @param resends requests that its client sent again by itself; null: not known
     */
    public record Recorded(Long samples, Long points, Long lost, Long resends) {}

    /** Its clock is ahead of the run's by {@code offsetUs}, give or take {@code boundUs}; null: not known. */
    public record Clock(Long offsetUs, Long boundUs) {}
}
