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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reasons about budgets that are broken, or undecided. */
final class BudgetReasons {

    private BudgetReasons() {}

    /**
     * Each with its figure: of failed requests the most common, and of an undecided outage the hole that made it so; last
     * those that only the report can decide.
     *
     * @param requests what the requests were counted with that budgets are about
     */
    static List<VerdictReason> of(
            List<BudgetResult> results,
            List<WatchedFigure> watched,
            List<Probe> fresh,
            List<MachineSecond> machine,
            PopulationTally requests) {
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
                    hole == null ? why(result, requests) : stoodStill(hole));
            (result.name().equals(Budget.Name.UNEXPLAINED.label()) ? ofReport : reasons)
                    .add(hole == null ? reason : reason.causedBy(MachineSecond.likelyCause(machine, hole)));
        }
        reasons.addAll(ofReport);
        return reasons;
    }

    private static String stoodStill(Span hole) {
        return "; the probes stood still for " + Numbers.grouped((long) Math.rint(Units.msOfUs(hole.lengthUs())))
                + " ms";
    }

    private static String why(BudgetResult result, PopulationTally requests) {
        String most = "";
        if (result.name().equals(Budget.Name.FAILED.label())) {
            most = requests.mostFailed(PhaseName.SWITCHOVER);
        } else if (result.name().equals(Budget.Name.FAILED_TOTAL.label())) {
            most = requests.mostFailed(null);
        }
        String why =
                Stream.of(result.note(), most).filter(text -> !text.isEmpty()).collect(Collectors.joining("; "));
        return why.isEmpty() ? "" : " (" + why + ")";
    }
}
