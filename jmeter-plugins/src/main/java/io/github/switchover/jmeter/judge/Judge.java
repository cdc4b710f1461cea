package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Trust.WatchedFigure;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.LimitResult;
import io.github.switchover.jmeter.run.OwnerFigures;
import io.github.switchover.jmeter.run.OwnerFigures.SplitBrainTimes;
import io.github.switchover.jmeter.run.OwnerFigures.TimedStretch;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.RequestFigures;
import io.github.switchover.jmeter.run.RequestFigures.GeneratorFigures;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.ServiceFigures;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.Verdict.Judgement;
import io.github.switchover.jmeter.run.VerdictReason;
import java.util.ArrayList;
import java.util.List;

/** Judges a run: every figure that can be told here, the limits against it, and whether to believe any of it. */
public final class Judge {

    /** The fault that takes a node from the network, and with it the way to what sources it. */
    private static final String NODE_DOWN = "node-down";

    /** After the heal a balancer may still be starting, and after the failback the pair may still be busy, for so long. */
    public static final long SETTLED_US = 5_000_000;

    private Judge() {}

    /** A verdict with the outage and the failback as they were measured; each of these may be null. */
    public record Assessment(Verdict verdict, Outage outage, Outage failback) {}

    /** By the limits that the run was started with. */
    public static Verdict judge(RunData data) {
        return judge(data, Limits.of(data.run()));
    }

    public static Verdict judge(RunData data, List<Limit> limits) {
        return assess(data, limits).verdict();
    }

    /** The verdict, and what it was made of. */
    public static Assessment assess(RunData data) {
        return assess(data, Limits.of(data.run()));
    }

    private static Assessment assess(RunData data, List<Limit> limits) {
        Run run = data.run();
        RunCourse course = RunCourse.of(data);
        RunCounts counts = RunCounts.of(data, course);
        Ownership ownership = Ownership.of(data.points());
        SplitBrain splitBrain = splitBrain(data, course, counts, ownership);
        List<LimitResult> results = against(limits, data, course, counts, splitBrain);
        boolean isSeen = run.fault() != null
                && !run.fault().isNone()
                && course.isFired()
                && data.flaws().isEmpty();
        FaultProof proof = isSeen
                ? new FaultProof(run, course.faulted(), course.outage(), ownership, NodeLife.of(data.points()))
                : null;
        Judgement judgement = Judgement.of(
                Judgement.fine(run.ending().dryRun(), results),
                reasons(data, course, counts, results, CourseReasons.of(run, proof)),
                Warnings.of(data, counts.requests().probes(), counts.requests().samples()),
                results);
        ServiceFigures service = new ServiceFigures(Outage.figures(course.outage()), Outage.figures(course.failback()));
        Verdict verdict =
                new Verdict(Verdict.SCHEMA, run.id(), judgement, service, requests(run, counts), owners(splitBrain));
        return new Assessment(verdict, course.outage(), course.failback());
    }

    /** Null where the journal that sources it is not whole. */
    private static SplitBrain splitBrain(RunData data, RunCourse course, RunCounts counts, Ownership ownership) {
        List<String> balancers = data.run().target().balancers();
        Long clocks = ClockBounds.between(balancers, data.run().evidence().clocks());
        SplitBrain measured = SplitBrainMeter.measure(
                ownership,
                balancers,
                course.faulted().fromUs(),
                course.endUs(),
                counts.takeover().stampBoundUs(clocks, ownership, data.points()));
        return data.isWhole(Flaw.JOURNAL) ? measured : null;
    }

    private static List<LimitResult> against(
            List<Limit> limits, RunData data, RunCourse course, RunCounts counts, SplitBrain splitBrain) {
        UnreadLines unread = data.unread();
        long rows = UnreadLines.rows(counts.requests().samples() == null ? unread.probes() : unread.samples());
        Measured measured = new Measured(data, course.outage(), course.failback(), counts.judged(), rows, splitBrain);
        FaultRun fault = data.run().fault();
        boolean isCutOff = fault != null && fault.name().equals(NODE_DOWN);
        boolean isObserved = splitBrain != null || (data.run().target().isOwnershipObserved() && !isCutOff);
        return Limits.withDefaults(limits, isObserved, data.run().target().dedicated()).stream()
                .map(measured::against)
                .toList();
    }

    private static List<VerdictReason> reasons(
            RunData data, RunCourse course, RunCounts counts, List<LimitResult> results, List<VerdictReason> ofCourse) {
        List<WatchedFigure> watched = course.watched();
        List<VerdictReason> reasons = new ArrayList<>(ofCourse);
        if (data.run().change() != null || data.run().settings().firing().change() != null) {
            String what = "what the changes cost is not known here";
            reasons.add(VerdictReason.of(
                    ReasonCode.NEEDS_REPORT, "what", what, "run", data.run().id()));
        }
        reasons.addAll(Trust.reasons(data, course, counts.requests(), results));
        reasons.addAll(notRecovered(watched));
        reasons.addAll(LimitReasons.of(results, watched, course.fresh()));
        return reasons;
    }

    private static RequestFigures requests(Run run, RunCounts counts) {
        Trust.CountedRequests counted = counts.requests();
        return new RequestFigures(
                counted.probes(),
                counted.samples(),
                null,
                counted.distribution(),
                null,
                generator(run.evidence().generator()));
    }

    private static List<VerdictReason> notRecovered(List<WatchedFigure> watched) {
        return watched.stream()
                .filter(one -> !one.outage().recovered())
                .map(one -> VerdictReason.of(
                        ReasonCode.NOT_RECOVERED,
                        "figure",
                        one.name(),
                        "low_ms",
                        Math.floorDiv(one.outage().awayAtEndUs(), Units.US_PER_MS)))
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
        Interval length = found.length().dividedBy(Units.US_PER_MS);
        Double boundMs = found.boundUs() == null ? null : (Double) Numbers.round(Units.msOfUs(found.boundUs()), 3);
        return new OwnerFigures(
                Numbers.round(Units.msOfUs(found.totalUs()), 3),
                new SplitBrainTimes(
                        Numbers.round(length.low(), 3),
                        length.high() == null ? null : (Double) Numbers.round(length.high(), 3),
                        found.overlaps().stream().map(TimedStretch::of).toList(),
                        found.handovers().stream().map(TimedStretch::of).toList(),
                        boundMs));
    }
}
