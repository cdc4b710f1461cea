package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Trust.WatchedFigure;
import io.github.switchover.jmeter.run.BudgetResult;
import io.github.switchover.jmeter.run.Distribution;
import io.github.switchover.jmeter.run.OwnerFigures;
import io.github.switchover.jmeter.run.OwnerFigures.SplitBrainTimes;
import io.github.switchover.jmeter.run.OwnerFigures.TimedStretch;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.RequestFigures;
import io.github.switchover.jmeter.run.RequestFigures.GeneratorFigures;
import io.github.switchover.jmeter.run.RequestFigures.LoadFigures;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.ServiceFigures;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.Verdict.Judgement;
import io.github.switchover.jmeter.run.VerdictReason;
import io.github.switchover.jmeter.run.WitnessCheck.Effect;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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
        Long firstDueUs = run.evidence().generator().fresh().due().firstDueUs();
        Outage outage = null;
        Outage failback = null;
        if (probed && !fresh.isEmpty() && data.isWhole(Flaw.PROBES)) { // without probes it is unknown, not none
            long beganUs = firstDueUs == null ? fresh.get(0).startUs() : firstDueUs;
            outage = OutageMeter.measure(
                    fresh,
                    new Span(sinceUs, horizonUs),
                    plan.firedFromUs() == null ? beganUs : sinceUs,
                    rate,
                    plan.healFromUs() != null);
            if (plan.healInTimeUs() != null) {
                failback = OutageMeter.measure(fresh, new Span(horizonUs, endUs), horizonUs, rate, false);
            }
        }
        List<Phase> phases = Phases.of(plan, outage, failback, firstDueUs);
        Span faulted = new Span(sinceUs, horizonUs);
        AnswerWitness witness =
                new AnswerWitness(run.fault() == null ? "" : run.fault().hit(), faulted);
        TakeoverTime takeover = new TakeoverTime(run, faulted, lateUs);
        DistributionTally answers = new DistributionTally(phases);
        PopulationTally probes = new PopulationTally(phases, lateUs);
        for (Sample probe : data.probes()) {
            probes.add(probe);
            answers.add(probe);
            witness.add(probe);
            takeover.add(probe);
        }
        PopulationTally samples = new PopulationTally(phases, lateUs);
        LongestGap gap = new LongestGap(sinceUs, horizonUs);
        for (Sample sample : data.samples()) {
            samples.add(sample);
            answers.add(sample);
            witness.add(sample);
            takeover.add(sample);
            gap.add(sample);
        }
        Population ofProbes = probed ? probes.population(List.of(), false) : null;
        Population ofSamples = samples.lines() == 0 ? null : samples.population(data.points(), true);
        Ownership ownership = Ownership.of(data.points());
        SplitBrain measuredSplitBrain = SplitBrainMeter.measure(
                ownership,
                run.target().balancers(),
                sinceUs,
                endUs,
                takeover.stampBoundUs(
                        ClockBounds.between(
                                run.target().balancers(), run.evidence().clocks()),
                        ownership,
                        data.points()));
        SplitBrain splitBrain = data.isWhole(Flaw.JOURNAL) ? measuredSplitBrain : null;
        Distribution distribution =
                answers.distribution(run.settings().balancing().algorithm());
        long unread = UnreadLines.rows(
                ofSamples == null ? data.unread().probes() : data.unread().samples());
        Measured measured =
                new Measured(data, outage, failback, ofSamples == null ? ofProbes : ofSamples, unread, splitBrain);
        List<BudgetResult> results =
                Budgets.withDefaults(budgets, splitBrain != null || run.target().isOwnershipWitnessed()).stream()
                        .map(measured::against)
                        .toList();
        Effect effect = null;
        PairCheck pair = null;
        if (run.fault() != null
                && !run.fault().isNone()
                && plan.firedFromUs() != null
                && data.flaws().isEmpty()) {
            Map<String, NodeLife> lives = NodeLife.of(data.points());
            effect = new FaultEffect(run, faulted, outage, ownership, lives, witness).effect();
            pair = PairCheck.of(run, ownership, lives);
        }
        List<WatchedFigure> watched = new ArrayList<>();
        if (outage != null) {
            boolean fired = plan.firedFromUs() != null;
            watched.add(
                    new WatchedFigure("outage", fired ? "outage" : "run", fired ? "fault" : "start", outage, sinceUs));
        }
        if (failback != null) {
            watched.add(new WatchedFigure("failback", "failback", "heal", failback, horizonUs));
        }
        List<VerdictReason> reasons = new ArrayList<>(CourseReasons.of(run, data.points(), effect, pair));
        Trust.CountedRequests counted = new Trust.CountedRequests(ofProbes, ofSamples, probes, samples, distribution);
        reasons.addAll(Trust.reasons(data, fresh, watched, counted, results));
        reasons.addAll(notRecovered(watched));
        reasons.addAll(BudgetReasons.of(
                results, watched, fresh, MachineSecond.of(data.points()), ofSamples == null ? probes : samples));
        List<String> warnings = new ArrayList<>(Warnings.of(data, outage, ofProbes));
        warnings.addAll(PairCheck.warnings(run, pair));
        Judgement judgement =
                Judgement.of(Judgement.fine(run.ending().rehearsed(), results), reasons, warnings, results);
        Span longestGap = plan.firedFromUs() == null ? null : gap.found();
        LoadFigures load = ofSamples == null
                ? null
                : new LoadFigures(longestGap == null ? null : TimedStretch.of(longestGap), null);
        Verdict verdict = new Verdict(
                Verdict.SCHEMA,
                run.id(),
                judgement,
                new ServiceFigures(
                        Outage.figures(outage),
                        Outage.figures(failback),
                        null,
                        effect,
                        PairCheck.wholeness(pair),
                        null),
                new RequestFigures(
                        ofProbes,
                        ofSamples,
                        load,
                        distribution,
                        null,
                        generator(run.evidence().generator())),
                owners(splitBrain));
        return new Assessment(verdict, outage, failback);
    }

    private static List<VerdictReason> notRecovered(List<WatchedFigure> watched) {
        return watched.stream()
                .filter(one -> !one.outage().recovered())
                .map(one -> VerdictReason.of(
                        ReasonCode.NOT_RECOVERED,
                        "figure",
                        one.name(),
                        "low_ms",
                        Math.floorDiv((long) one.outage().length().low(), 1000L)))
                .toList();
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
        Double boundMs = found.boundUs() == null ? null : (Double) Numbers.round(Units.msOfUs(found.boundUs()), 3);
        return new OwnerFigures(
                Numbers.round(Units.msOfUs(found.totalUs()), 3),
                new SplitBrainTimes(
                        Numbers.round(found.length().low() / 1000, 3),
                        Numbers.round(found.length().high() / 1000, 3),
                        found.overlaps().stream().map(TimedStretch::of).toList(),
                        found.handovers().stream().map(TimedStretch::of).toList(),
                        boundMs));
    }

    private static long first(Long one, Long other) {
        if (one != null) {
            return one;
        }
        return other == null ? 0 : other;
    }
}
