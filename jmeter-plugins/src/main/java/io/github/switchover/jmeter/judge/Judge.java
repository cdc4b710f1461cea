package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.BudgetResult;
import io.github.switchover.jmeter.run.Distribution;
import io.github.switchover.jmeter.run.OwnerFigures;
import io.github.switchover.jmeter.run.OwnerFigures.SplitBrainTimes;
import io.github.switchover.jmeter.run.OwnerFigures.TimedStretch;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.RequestFigures;
import io.github.switchover.jmeter.run.RequestFigures.GeneratorFigures;
import io.github.switchover.jmeter.run.RequestFigures.LoadFigures;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.ServiceFigures;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.Verdict.Judgement;
import java.util.ArrayList;
import java.util.List;

/** Judges a run: every figure that can be told here, the budgets against it, and whether to believe any of it. */
public final class Judge {

    private Judge() {}

    /** A verdict with the outage and the failback as they were measured; each of these may be null. */
    public record Assessment(Verdict verdict, Outage outage, Outage failback) {}

    /** By the budgets that the run was started with. */
    public static Verdict judge(RunData data) {
        return judge(data, Budgets.of(data.run()));
    }

    public static Verdict judge(RunData data, List<Budget> budgets) {
        return assess(data, budgets).verdict();
    }

    /** The verdict, and what it was made of. */
    public static Assessment assess(RunData data) {
        return assess(data, Budgets.of(data.run()));
    }

    private static Assessment assess(RunData data, List<Budget> budgets) {
        Run run = data.run();
        PlanTimes plan = run.plan();
        long lateUs = run.settings().lateUs();
        boolean probed = run.settings().isProbed();
        List<Probe> fresh = Probe.fresh(data.probes(), lateUs);
        long lastUs = fresh.stream().mapToLong(Probe::endUs).max().orElse(0);
        long endUs = plan.endUs() == null ? lastUs : plan.endUs();
        long sinceUs = first(plan.firedFromUs(), plan.startUs());
        long horizonUs = plan.healFromUs() == null ? endUs : plan.healFromUs();
        Double rate = run.settings().probeRate();
        Outage outage = null;
        Outage failback = null;
        if (probed && !fresh.isEmpty()) { // without probes it is unknown, not none
            outage = OutageMeter.measure(fresh, sinceUs, horizonUs, rate, plan.healFromUs() != null);
            if (Phases.healedInTimeUs(plan) != null) {
                failback = OutageMeter.measure(fresh, horizonUs, endUs, rate, false);
            }
        }
        Long firstDueUs = run.generator().fresh().due().firstDueUs();
        List<Phase> phases = Phases.of(plan, outage, failback, firstDueUs);
        DistributionTally answers = new DistributionTally(phases);
        PopulationTally probes = new PopulationTally(phases, lateUs);
        for (Sample probe : data.probes()) {
            probes.add(probe);
            answers.add(probe);
        }
        PopulationTally samples = new PopulationTally(phases, lateUs);
        LongestGap gap = new LongestGap(sinceUs, horizonUs);
        for (Sample sample : data.samples()) {
            samples.add(sample);
            answers.add(sample);
            gap.add(sample);
        }
        Population ofProbes = probed ? probes.population(List.of(), false) : null;
        Population ofSamples = samples.lines() == 0 ? null : samples.population(data.points(), true);
        SplitBrain splitBrain = splitBrain(data, sinceUs, endUs);
        Distribution distribution =
                answers.distribution(run.settings().balancing().algorithm());
        Measured measured = new Measured(
                outage, failback, ofSamples == null ? ofProbes : ofSamples, splitBrain, Measured.unprobed(run));
        List<BudgetResult> results =
                Budgets.withDefaults(budgets, splitBrain != null || run.target().isOwnershipWitnessed()).stream()
                        .map(measured::against)
                        .toList();
        List<WatchedFigure> watched = new ArrayList<>();
        if (outage != null && plan.firedFromUs() == null) {
            long beganUs = fresh.isEmpty() ? sinceUs : fresh.get(0).startUs();
            watched.add(new WatchedFigure("run", outage, firstDueUs == null ? beganUs : firstDueUs, endUs));
        } else if (outage != null) {
            watched.add(new WatchedFigure("outage", outage, sinceUs, horizonUs));
        }
        if (failback != null) {
            watched.add(new WatchedFigure("failback", failback, horizonUs, endUs));
        }
        List<String> reasons = Trust.reasons(data, fresh, watched, ofProbes, samples.lines(), distribution, results);
        Judgement judgement = new Judgement(
                Verdict.SCHEMA,
                run.id(),
                passed(run, reasons, results),
                reasons.isEmpty(),
                reasons,
                Warnings.of(data, fresh, watched, ofProbes),
                results);
        Interval longestGap = plan.firedFromUs() == null ? null : gap.found();
        LoadFigures load = ofSamples == null
                ? null
                : new LoadFigures(longestGap == null ? null : TimedStretch.of(longestGap), null);
        Verdict verdict = new Verdict(
                judgement,
                new ServiceFigures(Outage.figures(outage), Outage.figures(failback), null, null),
                new RequestFigures(ofProbes, ofSamples, load, distribution, null, generator(run.generator())),
                owners(splitBrain));
        return new Assessment(verdict, outage, failback);
    }

    /**
     * Whether every budget is kept, by figures that can be trusted. Null: as far as it can be told here; the
     * reconciliation, which {@code switchover report} computes, has a budget too.
     */
    private static Boolean passed(Run run, List<String> reasons, List<BudgetResult> budgets) {
        if (!reasons.isEmpty() || budgets.stream().anyMatch(result -> Boolean.FALSE.equals(result.passed()))) {
            return false;
        }
        boolean reconciled = run.target().exclusive()
                || budgets.stream().anyMatch(result -> result.name().equals(Budget.Name.UNEXPLAINED.label()));
        return reconciled ? null : (Boolean) true;
    }

    private static GeneratorFigures generator(ProbeAccount account) {
        return new GeneratorFigures(
                account.fresh().scheduled(),
                account.fresh().unsent(),
                account.fresh().lags().lagP50Ms(),
                account.fresh().lags().lagP99Ms(),
                account.cpuPercent());
    }

    private static OwnerFigures owners(SplitBrain found) {
        if (found == null) {
            return new OwnerFigures(null, null);
        }
        Double boundMs = found.boundUs() == null ? null : (Double) Numbers.round(found.boundUs() / 1000.0, 3);
        return new OwnerFigures(
                Numbers.round(found.totalUs() / 1000.0, 3),
                new SplitBrainTimes(
                        found.overlaps().stream().map(TimedStretch::of).toList(),
                        found.handovers().stream().map(TimedStretch::of).toList(),
                        boundMs));
    }

    private static SplitBrain splitBrain(RunData data, long sinceUs, long untilUs) {
        List<String> balancers = data.run().target().balancers();
        Long boundUs = ClockBounds.between(balancers, data.run().clocks());
        return SplitBrainMeter.measure(Ownership.of(data.points()), balancers, sinceUs, untilUs, boundUs);
    }

    private static long first(Long one, Long other) {
        if (one != null) {
            return one;
        }
        return other == null ? 0 : other;
    }
}
