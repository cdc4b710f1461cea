package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.Distribution;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.LimitResult;
import io.github.switchover.jmeter.run.LimitState;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.VerdictReason;
import java.util.ArrayList;
import java.util.List;

/** Why the figures of a run may be wrong. What only makes them less sharp widens their intervals instead. */
final class Trust {

    /** The part of the load that may fail in the baseline: what fails while all is well says nothing of a switchover. */
    static final double LOAD_SHARE = 0.01;

    /** A bound that is a larger part of the figure, and longer, says too little of it. */
    private static final double WIDE_SHARE = 0.25;

    private static final double WIDE_US = 100_000;

    private final Run run;
    private final List<VerdictReason> reasons = new ArrayList<>();

    private Trust(Run run) {
        this.run = run;
    }

    /**
     * A figure, and the stretch of the run in which the probes had to look for it.
     *
     * @param limit the name of the limit on it
     * @param event what the stretch begins with
     */
    record WatchedFigure(String limit, String name, String event, Outage outage, Span within) {}

    /**
     * What was counted.
     *
     * @param probes null without a prober
     * @param samples null without a load
     * @param probeTally what the probes were counted with
     * @param sampleTally what the samples were counted with
     */
    record CountedRequests(
            Population probes,
            Population samples,
            PopulationTally probeTally,
            PopulationTally sampleTally,
            Distribution distribution) {}

    static List<VerdictReason> reasons(
            RunData data, RunCourse course, CountedRequests counted, List<LimitResult> limits) {
        List<WatchedFigure> watched = course.watched();
        Trust trust = new Trust(data.run());
        data.flaws().forEach(flaw -> trust.reasons.add(flaw.reason()));
        if (counted.probes != null) {
            if (course.fresh().isEmpty()) {
                trust.add(ReasonCode.NO_PROBE);
            }
            if (data.isWhole(Flaw.PROBES)) {
                trust.judgeBaseline(counted.probes);
            }
            trust.judgeAccount();
        }
        if (counted.samples != null && data.isWhole(Flaw.SAMPLES)) {
            trust.judgeLoadBefore(counted.samples);
        }
        trust.judgeMaster(counted.distribution);
        trust.reasons.addAll(LoadTrust.reasons(trust.run, counted.sampleTally.lines()));
        if (!course.fresh().isEmpty()) {
            watched.forEach(figure -> trust.judgeFigure(figure, watched.get(0).outage, limits));
        }
        for (String name : data.missing()) {
            trust.add(ReasonCode.PART_MISSING, "name", name);
        }
        for (LimitResult result : limits) {
            if (result.state() == LimitState.UNMEASURED) {
                String why = result.note().isEmpty() ? "the run has no source for it" : result.note();
                trust.add(ReasonCode.LIMIT_UNMEASURED, "name", result.text(), "why", why);
            }
        }
        return trust.reasons;
    }

    /** All was well before the fault. */
    private void judgeBaseline(Population population) {
        RequestCounts baseline = population.byPhase().get(PhaseName.BASELINE.label());
        if (baseline == null) {
            return;
        }
        if (baseline.failed() > 0) {
            addFailedBefore(ReasonCode.FAILED_BEFORE, baseline);
        } else if (baseline.total() == 0) {
            add(ReasonCode.NO_PROBE_BEFORE);
        } else if (run.plan().firedFromUs() != null && baseline.late() > Outcome.LATE_SHARE * baseline.total()) {
            add(ReasonCode.LATE_BEFORE, "late", baseline.late(), "total", baseline.total());
        }
    }

    /** Only where a fault came after it; a load alone is all baseline, and its failures are what it measured. */
    private void judgeLoadBefore(Population population) {
        RequestCounts baseline = population.byPhase().get(PhaseName.BASELINE.label());
        if (run.plan().firedFromUs() == null || baseline == null || baseline.total() == 0) {
            return;
        }
        if (baseline.failed() > LOAD_SHARE * baseline.total()) {
            addFailedBefore(ReasonCode.LOAD_FAILED_BEFORE, baseline);
        }
    }

    private void addFailedBefore(ReasonCode code, RequestCounts baseline) {
        add(code, "failed", baseline.failed(), "total", baseline.total(), "most", "");
    }

    /** The generator's own word on what it sent. */
    private void judgeAccount() {
        ProbeAccount account = run.evidence().generator();
        if (!account.isComplete()) {
            add(ReasonCode.NO_ACCOUNT, "why", CourseReasons.because(account.warning()));
        }
        if (account.lost() != null && account.lost() > 0) {
            add(ReasonCode.PROBES_LOST, "lost", account.lost());
        }
    }

    /** The balancer that was hit is the one that had answered. */
    private void judgeMaster(Distribution distribution) {
        FaultRun fault = run.fault();
        List<String> balancers = run.target().balancers();
        if (fault == null || !fault.kind().equals(FaultRun.MASTER) || !balancers.contains(fault.master())) {
            return;
        }
        distribution.in(PhaseName.BASELINE.label()).balancers().forEach((name, share) -> {
            if (balancers.contains(name) && !name.equals(fault.master())) {
                add(ReasonCode.OTHER_MASTER, "node", name, "answers", share.count(), "master", fault.master());
            }
        });
    }

    /**
     * No probe was sent for so long that anything may have happened; or the edges are too far apart. What comes after the
     * heal is held against the fault's outage, too.
     */
    private void judgeFigure(WatchedFigure watched, Outage ofFault, List<LimitResult> limits) {
        Outage outage = watched.outage;
        long seenUs = Math.max(outage.durationUs(), ofFault.durationUs());
        boolean predicted = run.fault() != null && run.plan().firedFromUs() != null;
        Double predictedMs = predicted ? run.fault().prediction().predictHighMs() : null;
        if (outage.detectionLimitUs() > Unseen.limitUs(seenUs, predictedMs, outage.intervalUs())) {
            VerdictReason unseen = VerdictReason.of(
                    ReasonCode.UNSEEN,
                    "figure",
                    watched.name,
                    "event",
                    watched.event,
                    "unseen_ms",
                    (long) Math.rint(Units.msOfUs(outage.detectionLimitUs())),
                    "after_s",
                    Units.secondsOfUs(outage.unseen().fromUs() - watched.within.fromUs()));
            reasons.add(unseen);
        }
        boolean wide = outage.earlyUs() > Math.max(WIDE_SHARE * outage.durationUs(), WIDE_US);
        boolean decided = limits.stream()
                .anyMatch(result -> result.name().equals(watched.limit)
                        && (result.state() == LimitState.KEPT || result.state() == LimitState.EXCEEDED));
        if (wide && !decided && !outage.censored()) {
            add(
                    ReasonCode.WIDE_BOUND,
                    "figure",
                    watched.name,
                    "low_ms",
                    Math.floorDiv(outage.durationUs() - outage.earlyUs(), 1000L),
                    "high_ms",
                    -Math.floorDiv(-outage.durationUs(), 1000L));
        }
    }

    private void add(ReasonCode code, Object... figures) {
        reasons.add(VerdictReason.of(code, figures));
    }
}
