package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.BudgetResult;
import io.github.switchover.jmeter.run.BudgetUnit;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.RequestCounts;
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
        return run.settings().isProbed() ? NO_PROBE : NO_METRONOME;
    }

    BudgetResult against(Budget budget) {
        return switch (budget.name()) {
            case OUTAGE -> outage == null ? budget.against(null, unprobed) : outage(budget, outage);
            case FAILBACK -> failback(budget);
            case FAILED, LATE ->
                count(
                        budget,
                        requests == null ? null : requests.byPhase().get(PhaseName.SWITCHOVER.label()),
                        "no switchover phase");
            case FAILED_TOTAL -> count(budget, requests == null ? null : requests.whole(), "no request");
            case SPLIT_BRAIN ->
                splitBrain == null
                        ? budget.against(null, NO_WITNESS)
                        : budget.against(splitBrain.totalUs() / 1000.0, "");
            case UNEXPLAINED -> budget.against(null, BY_REPORT);
        };
    }

    private BudgetResult failback(Budget budget) {
        if (failback != null) {
            return outage(budget, failback);
        }
        String none = "nothing was healed while the load ran, so no failback was seen";
        return budget.against(null, outage == null ? unprobed : none);
    }

    /**
     * The upper estimate counts; so does a later gap that is longer. Not recovered, or away again at the horizon, is over
     * any limit.
     */
    private static BudgetResult outage(Budget budget, Outage outage) {
        double value = Math.max(outage.durationUs(), outage.longestStrayUs()) / 1000.0;
        if (outage.censored()) {
            return budget.broken(value, "not recovered: at least this long");
        }
        if (!outage.recovered()) {
            return budget.broken(value, "not recovered: away again at the end of the phase");
        }
        return budget.against(value, outage.kind() == OutageKind.NONE ? "less than one probe interval" : "");
    }

    private static BudgetResult count(Budget budget, RequestCounts counts, String none) {
        if (counts == null || counts.total() == 0) {
            return budget.against(null, none + " to count in");
        }
        long number = budget.name() == Budget.Name.LATE ? counts.late() : counts.failed();
        double value = budget.unit() == BudgetUnit.SHARE ? (double) number / counts.total() : number;
        return budget.against(value, Numbers.grouped(number) + " of " + Numbers.grouped(counts.total()));
    }
}
