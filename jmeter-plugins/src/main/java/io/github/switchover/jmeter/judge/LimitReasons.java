package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Trust.WatchedFigure;
import io.github.switchover.jmeter.run.LimitResult;
import io.github.switchover.jmeter.run.LimitState;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.VerdictReason;
import java.util.ArrayList;
import java.util.List;

/** Reasons about limits that are broken, or inconclusive. */
final class LimitReasons {

    private LimitReasons() {}

    /**
     * Each with its figure, and of an inconclusive outage the probe gap that made it so; last those that only the report can
     * decide.
     */
    static List<VerdictReason> of(List<LimitResult> results, List<WatchedFigure> watched, List<Probe> fresh) {
        List<VerdictReason> reasons = new ArrayList<>();
        List<VerdictReason> ofReport = new ArrayList<>();
        for (LimitResult result : results) {
            if (result.state() != LimitState.EXCEEDED && result.state() != LimitState.INCONCLUSIVE) {
                continue;
            }
            boolean broken = result.state() == LimitState.EXCEEDED;
            Span probe_gap = broken || !result.note().isEmpty()
                    ? null
                    : watched.stream()
                            .filter(one -> one.limit().equals(result.name()))
                            .findFirst()
                            .map(one -> Unseen.inDoubt(fresh, one.outage()))
                            .orElse(null);
            VerdictReason reason = VerdictReason.of(
                    broken ? ReasonCode.LIMIT_EXCEEDED : ReasonCode.LIMIT_INCONCLUSIVE,
                    "name",
                    result.text(),
                    "figure",
                    result.name() + " " + result.figureText(),
                    "limit",
                    result.limitText(),
                    "why",
                    probe_gap == null ? why(result) : stoodStill(probe_gap));
            (result.name().equals(Limit.Name.UNACCOUNTED.label()) ? ofReport : reasons).add(reason);
        }
        reasons.addAll(ofReport);
        return reasons;
    }

    private static String stoodStill(Span probe_gap) {
        return "; the probes stood still for " + Numbers.grouped((long) Math.rint(Units.msOfUs(probe_gap.lengthUs())))
                + " ms";
    }

    private static String why(LimitResult result) {
        return result.note().isEmpty() ? "" : " (" + result.note() + ")";
    }
}
