package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.BudgetResult;
import io.github.switchover.jmeter.run.BudgetState;
import io.github.switchover.jmeter.run.BudgetUnit;
import io.github.switchover.jmeter.run.CutPhase;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.Run;
import java.util.List;
import java.util.stream.Stream;

/**
 * The figures that budgets are about; each may be null.
 *
 * @param requests the load; the probes where there is none
 * @param unread rows of those requests' log that could not be read
 */
public record Measured(
        RunData data, Outage outage, Outage failback, Population requests, long unread, SplitBrain splitBrain) {

    private static final String NO_METRONOME = "there was no metronome";
    private static final String NO_PROBE = "no probe was recorded";
    private static final String NO_WITNESS =
            "no ownership witness of one VRRP instance on every balancer, all the time";
    private static final String NO_CLOCKS = "by lines as they arrived: the balancers' clocks are not known";
    static final String BY_REPORT = "told by switchover report";

    /** Why an outage is unknown. */
    public static String unprobed(Run run) {
        return run.settings().isProbed() ? NO_PROBE : NO_METRONOME;
    }

    BudgetResult against(Budget budget) {
        String lost = data.whyFlawed(witness(budget));
        if (!lost.isEmpty()) {
            return budget.unmeasured(lost);
        }
        return switch (budget.name()) {
            case OUTAGE ->
                outage == null
                        ? budget.unmeasured(unprobed(data.run()))
                        : judge(budget, outage, truncated(CutPhase.HOLD));
            case FAILBACK -> failback(budget);
            case FAILED, LATE ->
                count(
                        budget,
                        requests == null ? null : requests.byPhase().get(PhaseName.SWITCHOVER.label()),
                        "no switchover phase");
            case FAILED_TOTAL -> count(budget, requests == null ? null : requests.whole(), "no request");
            case SPLIT_BRAIN -> splitBrain == null ? budget.unmeasured(NO_WITNESS) : ofSplitBrain(budget, splitBrain);
            case LOST, LOSSY, DELAY, UNEXPLAINED -> budget.result(null, BudgetState.UNDECIDED, BY_REPORT);
        };
    }

    private static BudgetResult ofSplitBrain(Budget budget, SplitBrain found) {
        Interval length = found.length().dividedBy(Units.US_PER_MS);
        return budget.against(length, length.high() == null ? NO_CLOCKS : "");
    }

    /** How the names of the files begin that tell what a budget is about. */
    private String witness(Budget budget) {
        return switch (budget.name()) {
            case OUTAGE, FAILBACK -> Flaw.PROBES;
            case FAILED, LATE, FAILED_TOTAL -> data.run().evidence().workers().isEmpty() ? Flaw.PROBES : Flaw.SAMPLES;
            case SPLIT_BRAIN -> Flaw.JOURNAL;
            case UNEXPLAINED, LOST, LOSSY, DELAY -> "";
        };
    }

    private BudgetResult failback(Budget budget) {
        if (failback != null) {
            return judge(budget, failback, truncated(CutPhase.RECOVER));
        }
        String none = "nothing was healed while the load ran, so no failback was seen";
        return budget.unmeasured(outage == null ? unprobed(data.run()) : none);
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
    static BudgetResult judge(Budget budget, Outage outage, String truncated) {
        List<Interval> seen = Stream.concat(
                        Stream.of(outage.length()), outage.strays().stream().map(Gap::length))
                .toList();
        if (!outage.recovered()) {
            String how = outage.censored() ? "at least this long" : "away again at the end of the phase";
            Interval figure = new Interval(Interval.longestOf(seen).low() / Units.US_PER_MS, null);
            return budget.result(figure, BudgetState.BROKEN, "not recovered: " + how);
        }
        boolean fine = outage.resolutionUs() <= Unseen.toleratedUs(outage.intervalUs());
        Interval unseen = new Interval(0, (double) outage.resolutionUs());
        if (outage.kind() != OutageKind.NONE) {
            List<Interval> all = fine
                    ? seen
                    : Stream.concat(seen.stream(), Stream.of(unseen)).toList();
            return budget.against(Interval.longestOf(all).dividedBy(Units.US_PER_MS), "");
        }
        if (!truncated.isEmpty()) {
            return budget.result(
                    new Interval(0, null),
                    BudgetState.UNDECIDED,
                    "no probe was impaired, but " + truncated + ": it may have come later");
        }
        Interval none = unseen.dividedBy(Units.US_PER_MS);
        return fine && budget.limit() != null
                ? budget.result(none, BudgetState.KEPT, budget.note())
                : budget.against(none, "");
    }

    private BudgetResult count(Budget budget, RequestCounts counts, String none) {
        RequestCounts found = counts == null ? RequestCounts.NONE : counts;
        long number = budget.name() == Budget.Name.LATE ? found.late() : found.failed();
        return count(budget, number, found.total(), unread, none);
    }

    /** {@code unread} rows could not be read, and may be any of either. */
    static BudgetResult count(Budget budget, long number, long total, long unread, String none) {
        if (total == 0) {
            return budget.unmeasured(none + " to count in");
        }
        double every = budget.unit() == BudgetUnit.SHARE ? total + unread : 1;
        String lost = unread == 0 ? "" : "; " + Numbers.grouped(unread) + " more could not be read";
        return budget.against(
                new Interval(number / every, (number + unread) / every),
                Numbers.grouped(number) + " of " + Numbers.grouped(total) + lost);
    }
}
