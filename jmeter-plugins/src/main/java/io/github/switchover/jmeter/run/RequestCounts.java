package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;
import java.util.Map;

/**
 * Requests of one population (probes, or samples) in one phase, or in all of them.
 *
 * @param latencyMs null without an answer
 */
public record RequestCounts(
        @Inline Totals totals,
        @Inline RequestRate pace,
        @Inline Breakdown breakdown,
        LatencyFigures latencyMs) {

    /**
     * How many.
     *
     * @param total those that the client could send
     * @param unsent those that it could not: no port, no descriptor; they count nowhere else
     */
    public record Totals(long total, long failed, long late, long unsent) {}

    /**
     * How fast.
     *
     * @param rate requests a second over the length of the phase; null if that is 0
     * @param users mean number of users; null where the load generator did not tell
     */
    public record RequestRate(Double rate, Double users) {}

    /**
     * What they were.
     *
     * @param byKind failed requests by the kind of their error
     * @param byAnsweredBy requests by who answered them
     * @param byStream of requests on fresh, and on kept, connections
     */
    public record Breakdown(
            Map<String, Long> byKind, Map<String, Long> byAnsweredBy, Map<String, StreamCounts> byStream) {
        public Breakdown {
            byKind = RunFile.copy(byKind);
            byAnsweredBy = RunFile.copy(byAnsweredBy);
            byStream = RunFile.copy(byStream);
        }
    }

    /** The same of the requests on fresh, or on kept, connections. */
    public record StreamCounts(long total, long failed, long late) {}

    /**
     * How long good and late answers took, in milliseconds, seen from the schedule and from the actual send; failures
     * have no answer to time.
     *
     * <p>The two differ where the client was held up: a client that waits for an answer before it sends the next request
     * leaves out what it would have sent meanwhile (coordinated omission). Only the first view shows that.
     *
     * @param fromSchedule null where nothing was scheduled (a closed loop)
     */
    public record LatencyFigures(Percentiles fromSchedule, Percentiles fromSend) {}

    /** Nearest-rank percentiles, in milliseconds. */
    public record Percentiles(double p50, double p90, double p99, double max) {}

    public static final RequestCounts NONE = of(0, 0, 0);

    /** Of which nothing else is known. */
    public static RequestCounts of(long total, long failed, long late) {
        return new RequestCounts(
                new Totals(total, failed, late, 0), new RequestRate(null, null), new Breakdown(null, null, null), null);
    }

    public long total() {
        return totals.total;
    }

    public long failed() {
        return totals.failed;
    }

    public long late() {
        return totals.late;
    }

    public long unsent() {
        return totals.unsent;
    }

    public Map<String, Long> byKind() {
        return breakdown.byKind;
    }
}
