package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Trust.WatchedFigure;
import io.github.switchover.jmeter.run.BudgetResult;
import io.github.switchover.jmeter.run.BudgetState;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.VerdictReason;
import java.util.ArrayList;
import java.util.List;

/** Reasons about budgets that are broken, or undecided. */
final class BudgetReasons {

    private BudgetReasons() {}

    /**
     * Each with its figure, and of an undecided outage the hole that made it so; last those that only the report can
     * decide.
     */
    static List<VerdictReason> of(List<BudgetResult> results, List<WatchedFigure> watched, List<Probe> fresh) {
        List<VerdictReason> reasons = new ArrayList<>();
        List<VerdictReason> ofReport = new ArrayList<>();
        for (BudgetResult result : results) {
            if (result.state() != BudgetState.BROKEN && result.state() != BudgetState.UNDECIDED) {
                continue;
            }
            boolean broken = result.state() == BudgetState.BROKEN;
            Span hole = broken || !result.note().isEmpty()
                    ? null
                    : watched.stream()
                            .filter(one -> one.budget().equals(result.name()))
                            .findFirst()
                            .map(one -> Unseen.inDoubt(fresh, one.outage()))
                            .orElse(null);
            VerdictReason reason = VerdictReason.of(
                    broken ? ReasonCode.BUDGET_BROKEN : ReasonCode.BUDGET_UNDECIDED,
                    "budget",
                    result.text(),
                    "figure",
                    result.name() + " " + result.figureText(),
                    "limit",
                    result.limitText(),
                    "why",
                    hole == null ? why(result) : stoodStill(hole));
            (result.name().equals(Budget.Name.UNEXPLAINED.label()) ? ofReport : reasons).add(reason);
        }
        reasons.addAll(ofReport);
        return reasons;
    }

    private static String stoodStill(Span hole) {
        return "; the probes stood still for " + Numbers.grouped((long) Math.rint(Units.msOfUs(hole.lengthUs())))
                + " ms";
    }

    private static String why(BudgetResult result) {
        return result.note().isEmpty() ? "" : " (" + result.note() + ")";
    }
}
