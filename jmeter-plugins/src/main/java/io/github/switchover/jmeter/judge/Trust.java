package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Why a run must not be believed. Whoever reads a verdict reads this first. */
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
        Counts baseline = population.byPhase().get(PhaseName.BASELINE);
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
        Account account = Account.of(run);
        if (!account.isThere()) {
            String why = account.warning();
            reasons.add("the generator left no account of what it sent" + (why.isEmpty() ? "" : ": " + why));
        }
        if (account.lost() > 0) {
            reasons.add(Numbers.grouped(account.lost())
                    + " probes were sent, but could not be written down: is the disk full?");
        }
    }

    /** The balancer that was hit is the one that had answered. */
    private void judgeMaster(Distribution distribution) {
        FaultRun fault = run.fault();
        List<String> balancers = RunNodes.balancers(run);
        if (fault == null || !fault.kind().equals(FaultRun.MASTER) || !balancers.contains(fault.master())) {
            return;
        }
        Map<String, Long> answered = distribution
                .byPhase()
                .getOrDefault(PhaseName.BASELINE, Distribution.Answers.NONE)
                .balancers();
        answered.forEach((name, count) -> {
            if (balancers.contains(name) && !name.equals(fault.master())) {
                reasons.add(name + " gave " + Numbers.grouped(count) + " answers in the baseline: " + fault.master()
                        + " was not the only master");
            }
        });
    }

    /** For how long nobody looked; one line for each figure. */
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
        List<Interval> unsent = Account.of(run).unsent();
        if (wide && edges.stream().anyMatch(edge -> unsent.stream().anyMatch(edge::overlaps))) {
            double share = (double) outage.earlyUs() / outage.durationUs();
            reasons.add("slots that the generator left out make the bound " + Numbers.percent(share, 0) + " of the "
                    + watched.name());
        }
    }

    /** No witness; or one that was sent home before anything could be seen. */
    private void judgeBudget(BudgetResult result, List<WatchedFigure> watched) {
        Budget budget = result.budget();
        if (budget.name() == Budget.Name.UNEXPLAINED) {
            return; // the report's, and so is the trust in it
        }
        if (result.passed() == null) {
            String why = result.note().isEmpty() ? "the run has no witness for it" : result.note();
            reasons.add("budget " + budget + ": " + why);
        }
        List<String> names = cutShort(budget);
        boolean nothingSeen = watched.stream()
                .anyMatch(one ->
                        one.name().equals(budget.name().label()) && one.outage().kind() == OutageKind.NONE);
        for (String text : run.truncated()) {
            if (nothingSeen && names.stream().anyMatch(text::startsWith)) {
                reasons.add("budget " + budget + ": no probe was impaired, but " + text + ": it may have come later");
            }
        }
    }

    /** How the phase that a budget looks at is called where it was cut short: by the option that does, or by itself. */
    private static List<String> cutShort(Budget budget) {
        return switch (budget.name()) {
            case OUTAGE -> List.of("--hold", "hold");
            case FAILBACK -> List.of("--recover", "recover");
            default -> List.of();
        };
    }
}
