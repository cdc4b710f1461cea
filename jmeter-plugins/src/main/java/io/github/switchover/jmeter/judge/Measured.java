package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.Run;

/**
 * The figures that budgets are about; each may be null.
 *
 * @param requests the samples, or the probes where there are none
 * @param unprobed why there is no outage, where there is none
 */
public record Measured(Outage outage, Outage failback, Population requests, SplitBrain splitBrain, String unprobed) {

    public static final String NO_METRONOME = "there was no metronome";
    private static final String NO_PROBE = "no probe was recorded";
    public static final String NO_WITNESS = "no ownership witness on every balancer, all the time";
    static final String BY_REPORT = "told by switchover report";

    /** Why an outage is unknown. */
    public static String unprobed(Run run) {
        return Judge.isProbed(run) ? NO_PROBE : NO_METRONOME;
    }

    BudgetResult against(Budget budget) {
        return switch (budget.name()) {
            case OUTAGE -> outage == null ? BudgetResult.unknown(budget, unprobed) : outage(budget, outage);
            case FAILBACK -> failback(budget);
            case FAILED, LATE ->
                count(
                        budget,
                        requests == null ? null : requests.byPhase().get(PhaseName.SWITCHOVER),
                        "no switchover phase");
            case FAILED_TOTAL -> count(budget, requests == null ? null : requests.whole(), "no request");
            case SPLIT_BRAIN ->
                splitBrain == null
                        ? BudgetResult.unknown(budget, NO_WITNESS)
                        : BudgetResult.of(budget, splitBrain.totalUs() / 1000.0, "");
            case UNEXPLAINED -> BudgetResult.unknown(budget, BY_REPORT);
        };
    }

    private BudgetResult failback(Budget budget) {
        if (failback != null) {
            return outage(budget, failback);
        }
        String none = "nothing was healed while the load ran, so no failback was seen";
        return BudgetResult.unknown(budget, outage == null ? unprobed : none);
    }

    /**
     * The upper estimate counts; so does a later gap that is longer. Not recovered, or away again at the horizon, is over
     * any limit.
     */
    private static BudgetResult outage(Budget budget, Outage outage) {
        double value = Math.max(outage.durationUs(), outage.longestStrayUs()) / 1000.0;
        if (outage.censored()) {
            return new BudgetResult(budget, value, false, "not recovered: at least this long");
        }
        if (!outage.recovered()) {
            return new BudgetResult(budget, value, false, "not recovered: away again at the end of the phase");
        }
        return BudgetResult.of(budget, value, outage.kind() == OutageKind.NONE ? "less than one probe interval" : "");
    }

    private static BudgetResult count(Budget budget, Counts counts, String none) {
        if (counts == null || counts.total() == 0) {
            return BudgetResult.unknown(budget, none + " to count in");
        }
        long number = budget.name() == Budget.Name.LATE ? counts.late() : counts.failed();
        double value = budget.unit() == Budget.Unit.SHARE ? (double) number / counts.total() : number;
        return BudgetResult.of(budget, value, Numbers.grouped(number) + " of " + Numbers.grouped(counts.total()));
    }
}
