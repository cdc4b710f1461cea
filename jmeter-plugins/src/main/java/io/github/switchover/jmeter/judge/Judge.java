package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Judges a run: every figure that can be told here, the budgets against it, and whether to believe any of it. */
public final class Judge {

    /** Where the run does not say what it counted as late. */
    private static final double LATE_MS = 1000.0;

    private Judge() {}

    /** By the budgets that the run was started with. */
    public static Verdict judge(RunData data) {
        return judge(data, Budgets.of(data.run()));
    }

    public static Verdict judge(RunData data, List<Budget> budgets) {
        Run run = data.run();
        PlanTimes plan = run.plan();
        long lateUs = lateUs(run);
        boolean probed = isProbed(run);
        List<Probe> fresh = Probe.fresh(data.probes(), lateUs);
        long lastUs = fresh.stream().mapToLong(Probe::endUs).max().orElse(0);
        long endUs = plan.endUs() == null ? lastUs : plan.endUs();
        long sinceUs = first(plan.firedFromUs(), plan.startUs());
        long horizonUs = plan.healFromUs() == null ? endUs : plan.healFromUs();
        Double rate = rate(run);
        Outage outage = null;
        Outage failback = null;
        if (probed && !fresh.isEmpty()) { // where nobody looked, nobody says that there was none
            outage = OutageMeter.measure(fresh, sinceUs, horizonUs, rate, plan.healFromUs() != null);
            if (Phases.healedInTimeUs(plan) != null) {
                failback = OutageMeter.measure(fresh, horizonUs, endUs, rate, false);
            }
        }
        Long firstDueUs = Account.of(run).firstDueUs();
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
                answers.distribution(run.settings().get("algorithm") instanceof String algorithm ? algorithm : null);
        Measured measured = new Measured(
                outage, failback, ofSamples == null ? ofProbes : ofSamples, splitBrain, Measured.unprobed(run));
        List<BudgetResult> results = Budgets.withDefaults(budgets, splitBrain != null || isToBeWitnessed(run)).stream()
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
        return new Verdict(
                run,
                outage,
                failback,
                ofProbes,
                ofSamples,
                splitBrain,
                distribution,
                plan.firedFromUs() == null ? null : gap.found(),
                results,
                Trust.reasons(data, fresh, watched, ofProbes, samples.lines(), distribution, results),
                Warnings.of(data, fresh, watched, ofProbes));
    }

    /** The latest that a good answer may come after it was due. */
    public static long lateUs(Run run) {
        double lateMs = run.settings().get("late_ms") instanceof Number number ? number.doubleValue() : LATE_MS;
        return (long) Math.rint(lateMs * 1000);
    }

    /** Whether a metronome was asked for. */
    static boolean isProbed(Run run) {
        return !(run.settings().get("probe_rate") instanceof Number number) || number.doubleValue() != 0;
    }

    private static SplitBrain splitBrain(RunData data, long sinceUs, long untilUs) {
        List<String> balancers = RunNodes.balancers(data.run());
        Long boundUs = ClockBounds.between(balancers, data.run().clocks());
        return SplitBrainMeter.measure(Ownership.of(data.points()), balancers, sinceUs, untilUs, boundUs);
    }

    /** An ownership witness was to be on every balancer. */
    private static boolean isToBeWitnessed(Run run) {
        List<String> balancers = RunNodes.balancers(run);
        return balancers.size() > 1
                && Set.copyOf(RunNodes.with(run, "vip_owner")).containsAll(balancers);
    }

    private static Double rate(Run run) {
        return run.settings().get("probe_rate") instanceof Number number && number.doubleValue() != 0
                ? (Double) number.doubleValue()
                : null;
    }

    private static long first(Long one, Long other) {
        if (one != null) {
            return one;
        }
        return other == null ? 0 : other;
    }
}
