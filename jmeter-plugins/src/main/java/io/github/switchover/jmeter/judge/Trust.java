package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.BudgetResult;
import io.github.switchover.jmeter.run.Distribution;
import io.github.switchover.jmeter.run.Distribution.AnswerShare;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Why a run must not be believed: the first thing to read of a verdict. */
final class Trust {

    private final RunData data;
    private final Run run;
    private final List<String> reasons = new ArrayList<>();

    private Trust(RunData data) {
        this.data = data;
        this.run = data.run();
    }

    /** Each reason is one line; an empty list is a run that can be trusted. */
    static List<String> reasons(
            RunData data,
            List<Probe> probes,
            List<WatchedFigure> watched,
            Population population,
            long samples,
            Distribution distribution,
            List<BudgetResult> budgets) {
        Trust trust = new Trust(data);
        trust.judgeFault();
        if (trust.run.plan().startUs() == null || trust.run.plan().endUs() == null) {
            trust.reasons.add("the run did not reach its end: run.json has no start or no end");
        }
        if (population != null) {
            if (probes.isEmpty()) {
                trust.reasons.add("there is no probe: nothing measured the outage");
            }
            trust.judgeBaseline(population);
            trust.judgeAccount();
        }
        trust.judgeMaster(distribution);
        trust.reasons.addAll(LoadTrust.reasons(trust.run, samples));
        watched.forEach(one -> trust.judgeHoles(probes, one));
        for (String name : trust.data.missing()) {
            trust.reasons.add(name + " is missing: the run was to write it, but it is not here");
        }
        budgets.forEach(result -> trust.judgeBudget(result, watched));
        return trust.reasons;
    }

    private void judgeFault() {
        FaultRun fault = run.fault();
        PlanTimes plan = run.plan();
        if (fault == null) {
            return;
        }
        boolean failed = fault.error() != null && !fault.error().isEmpty();
        if (failed) {
            reasons.add(fault.error());
        } else if (fault.kind().equals(FaultRun.NONE)) {
            return;
        } else if (plan.firedFromUs() == null) {
            reasons.add(fault.name() + " was not fired");
        } else if (plan.confirmedUs() == null) {
            reasons.add(fault.name() + " was fired, but nothing proved that it took effect");
        }
        if (plan.firedFromUs() != null && plan.healedUs() == null && !failed) {
            reasons.add("the heal of " + fault.name() + " was not verified: the target may still be broken");
        }
    }

    /** All was well before the fault. */
    private void judgeBaseline(Population population) {
        RequestCounts baseline = population.byPhase().get(PhaseName.BASELINE.label());
        if (baseline == null) {
            return;
        }
        if (baseline.failed() > 0) {
            reasons.add(
                    baseline.failed() + " of " + baseline.total() + " probes failed in the baseline, before the fault");
        } else if (baseline.total() == 0) {
            reasons.add("there is no probe in the baseline: nothing says that the service was well before");
        }
    }

    /** The generator's own word on what it sent. */
    private void judgeAccount() {
        ProbeAccount account = run.generator();
        if (!account.isComplete()) {
            String why = account.warning() == null ? "" : ": " + account.warning();
            reasons.add("the generator left no account of what it sent" + why);
        }
        if (account.lost() != null && account.lost() > 0) {
            reasons.add(Numbers.grouped(account.lost())
                    + " probes were sent, but could not be written down: is the disk full?");
        }
    }

    /** The balancer that was hit is the one that had answered. */
    private void judgeMaster(Distribution distribution) {
        FaultRun fault = run.fault();
        List<String> balancers = run.target().balancers();
        if (fault == null || !fault.kind().equals(FaultRun.MASTER) || !balancers.contains(fault.master())) {
            return;
        }
        Map<String, AnswerShare> answered =
                distribution.in(PhaseName.BASELINE.label()).balancers();
        answered.forEach((name, share) -> {
            if (balancers.contains(name) && !name.equals(fault.master())) {
                reasons.add(name + " gave " + Numbers.grouped(share.count()) + " answers in the baseline: "
                        + fault.master() + " was not the only master");
            }
        });
    }

    /** For how long nothing was sent; one line for each figure. */
    private void judgeHoles(List<Probe> probes, WatchedFigure watched) {
        Outage outage = watched.outage();
        List<Interval> edges = Holes.edges(outage);
        List<Interval> holes =
                Holes.of(probes, watched.sinceUs(), watched.untilUs(), outage).grave();
        if (!probes.isEmpty() && !holes.isEmpty()) {
            Interval atEdge = holes.stream()
                    .filter(hole -> edges.stream().anyMatch(hole::overlaps))
                    .findFirst()
                    .orElse(null);
            if (atEdge != null) {
                reasons.add("the generator sent nothing for " + atEdge.milliseconds() + " ms at an edge of the "
                        + watched.name());
                return;
            }
            Interval longest = Holes.longest(holes);
            double atS = (longest.fromUs() - watched.sinceUs()) / 1e6;
            reasons.add("the generator sent nothing for " + longest.milliseconds() + " ms, " + Numbers.fixed(atS, 1)
                    + " s into the time that the " + watched.name()
                    + " was looked for in: whatever happened then was not seen");
            return;
        }
        boolean wide = outage.earlyUs() > Holes.BOUND_SHARE * outage.durationUs();
        List<Interval> unsent = run.generator().unsent();
        if (wide && edges.stream().anyMatch(edge -> unsent.stream().anyMatch(edge::overlaps))) {
            double share = (double) outage.earlyUs() / outage.durationUs();
            reasons.add("slots that the generator left out make the bound " + Numbers.percent(share, 0) + " of the "
                    + watched.name());
        }
    }

    /** No witness; or the run ended before the witness could see anything. */
    private void judgeBudget(BudgetResult result, List<WatchedFigure> watched) {
        if (result.name().equals(Budget.Name.UNEXPLAINED.label())) {
            return; // the report's, and so is the trust in it
        }
        if (result.passed() == null) {
            String why = result.note().isEmpty() ? "the run has no witness for it" : result.note();
            reasons.add("budget " + result.text() + ": " + why);
        }
        List<String> names = cutShort(result.name());
        boolean nothingSeen = watched.stream()
                .anyMatch(
                        one -> one.name().equals(result.name()) && one.outage().kind() == OutageKind.NONE);
        for (String text : run.truncated()) {
            if (nothingSeen && names.stream().anyMatch(text::startsWith)) {
                reasons.add("budget " + result.text() + ": no probe was impaired, but " + text
                        + ": it may have come later");
            }
        }
    }

    /** How the phase that a budget looks at is called where it was cut short: by the option that does, or by itself. */
    private static List<String> cutShort(String budget) {
        return switch (budget) {
            case "outage" -> List.of("--hold", "hold");
            case "failback" -> List.of("--recover", "recover");
            default -> List.of();
        };
    }
}
