package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.CutPhase;
import io.github.switchover.jmeter.run.LimitResult;
import io.github.switchover.jmeter.run.LimitState;
import io.github.switchover.jmeter.run.LimitUnit;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.Run;
import java.util.List;
import java.util.stream.Stream;

/**
 * The figures that limits are about; each may be null.
 *
 * @param requests the load; the probes where there is none
 * @param unread rows of those requests' log that could not be read
 */
public record Measured(
        RunData data, Outage outage, Outage failback, Population requests, long unread, SplitBrain splitBrain) {

    private static final String NO_PROBER = "there was no prober";
    private static final String NO_PROBE = "no probe was recorded";
    private static final String NO_SOURCE = "no ownership source of one VRRP instance on every balancer, all the time";
    private static final String NO_CLOCKS = "by lines as they arrived: the balancers' clocks are not known";
    static final String BY_REPORT = "told by switchover report";

    /** Why an outage is unknown. */
    public static String unprobed(Run run) {
        return run.settings().isProbed() ? NO_PROBE : NO_PROBER;
    }

    LimitResult against(Limit limit) {
        String lost = data.whyFlawed(source(limit));
        if (!lost.isEmpty()) {
            return limit.unmeasured(lost);
        }
        return switch (limit.name()) {
            case OUTAGE ->
                outage == null
                        ? limit.unmeasured(unprobed(data.run()))
                        : judge(limit, outage, truncated(CutPhase.HOLD));
            case FAILBACK -> failback(limit);
            case FAILED, LATE ->
                count(
                        limit,
                        requests == null ? null : requests.byPhase().get(PhaseName.SWITCHOVER.label()),
                        "no switchover phase");
            case FAILED_TOTAL -> count(limit, requests == null ? null : requests.whole(), "no request");
            case SPLIT_BRAIN -> splitBrain == null ? limit.unmeasured(NO_SOURCE) : ofSplitBrain(limit, splitBrain);
            case LOST, LOSSY, DELAY, UNACCOUNTED -> limit.result(null, LimitState.INCONCLUSIVE, BY_REPORT);
        };
    }

    private static LimitResult ofSplitBrain(Limit limit, SplitBrain found) {
        Interval length = found.length().dividedBy(Units.US_PER_MS);
        return limit.against(length, length.high() == null ? NO_CLOCKS : "");
    }

    /** How the names of the files begin that tell what a limit is about. */
    private String source(Limit limit) {
        return switch (limit.name()) {
            case OUTAGE, FAILBACK -> Flaw.PROBES;
            case FAILED, LATE, FAILED_TOTAL -> data.run().evidence().workers().isEmpty() ? Flaw.PROBES : Flaw.SAMPLES;
            case SPLIT_BRAIN -> Flaw.JOURNAL;
            case UNACCOUNTED, LOST, LOSSY, DELAY -> "";
        };
    }

    private LimitResult failback(Limit limit) {
        if (failback != null) {
            return judge(limit, failback, truncated(CutPhase.RECOVER));
        }
        String none = "nothing was healed while the load ran, so no failback was seen";
        return limit.unmeasured(outage == null ? unprobed(data.run()) : none);
    }

    private String truncated(String phase) {
        return data.run().ending().truncated().stream()
                .filter(cut -> cut.phase().equals(phase))
                .reduce((earlier, later) -> later)
                .map(CutPhase::text)
                .orElse("");
    }

    /**
     * The longest of the outage, of its later gaps, and of a resolution that is too coarse for "none". An outage that was
     * not seen to recover is over any limit.
     *
     * @param truncated how its phase was cut short, or empty: an outage that was not seen may have come later
     */
    static LimitResult judge(Limit limit, Outage outage, String truncated) {
        List<Interval> seen = Stream.concat(
                        Stream.of(outage.length()), outage.later_gaps().stream().map(Gap::length))
                .toList();
        if (!outage.recovered()) {
            String how = outage.censored() ? "at least this long" : "away again at the end of the phase";
            Interval figure = new Interval(Interval.longestOf(seen).low() / Units.US_PER_MS, null);
            return limit.result(figure, LimitState.EXCEEDED, "not recovered: " + how);
        }
        boolean fine = outage.detectionLimitUs() <= Unseen.toleratedUs(outage.intervalUs());
        Interval unseen = new Interval(0, (double) outage.detectionLimitUs());
        if (outage.kind() != OutageKind.NONE) {
            List<Interval> all = fine
                    ? seen
                    : Stream.concat(seen.stream(), Stream.of(unseen)).toList();
            return limit.against(Interval.longestOf(all).dividedBy(Units.US_PER_MS), "");
        }
        if (!truncated.isEmpty()) {
            return limit.result(
                    new Interval(0, null),
                    LimitState.INCONCLUSIVE,
                    "no probe was impaired, but " + truncated + ": it may have come later");
        }
        Interval none = unseen.dividedBy(Units.US_PER_MS);
        return fine && limit.limit() != null
                ? limit.result(none, LimitState.KEPT, limit.note())
                : limit.against(none, "");
    }

    private LimitResult count(Limit limit, RequestCounts counts, String none) {
        RequestCounts found = counts == null ? RequestCounts.NONE : counts;
        long number = limit.name() == Limit.Name.LATE ? found.late() : found.failed();
        return count(limit, number, found.total(), unread, none);
    }

    /** {@code unread} rows could not be read, and may be any of either. */
    static LimitResult count(Limit limit, long number, long total, long unread, String none) {
        if (total == 0) {
            return limit.unmeasured(none + " to count in");
        }
        double every = limit.unit() == LimitUnit.SHARE ? total + unread : 1;
        String lost = unread == 0 ? "" : "; " + Numbers.grouped(unread) + " more could not be read";
        return limit.against(
                new Interval(number / every, (number + unread) / every),
                Numbers.grouped(number) + " of " + Numbers.grouped(total) + lost);
    }
}
