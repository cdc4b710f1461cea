package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Phase.PhaseName;
import io.github.switchover.jmeter.judge.RequestTally.RequestCounts;
import io.github.switchover.jmeter.judge.RunCourse.WatchedFigure;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.LoadFacts;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.WorkerFacts;
import java.util.ArrayList;
import java.util.List;

/** Why the word on a run is no better. What only makes figures less sharp widens their intervals instead. */
final class Reasons {

    /** With this word a run that has no {@code stopped} says in its fault's error that it was stopped. */
    private static final String INTERRUPTED = "interrupted";

    /** The part of the load that may fail in the baseline: what fails while all is well says nothing of a switchover. */
    private static final double LOAD_SHARE = 0.01;

    /** A bound that is a larger part of the figure, and longer, says too little of it. */
    private static final double WIDE_SHARE = 0.25;

    private static final double WIDE_US = 100_000;

    private final RunCourse course;
    private final Run run;
    private final List<LimitResult> limits;
    private final List<VerdictReason> reasons = new ArrayList<>();

    private Reasons(RunCourse course, List<LimitResult> limits) {
        this.course = course;
        run = course.run();
        this.limits = limits;
    }

    /** All of them, in the order of the plan. */
    static List<VerdictReason> of(RunCourse course, List<LimitResult> limits, Ownership ownership) {
        Reasons found = new Reasons(course, limits);
        found.addPlan(ownership);
        if (found.run.isOfChanges()) {
            found.needsReport("what the changes cost is not known here");
        }
        course.data().flaws().forEach(flaw -> found.reasons.add(flaw.reason()));
        found.addProbes();
        found.addLoad();
        List<WatchedFigure> watched = course.watched();
        watched.forEach(figure -> found.addFigure(figure, watched.get(0).outage()));
        course.data().missing().forEach(name -> found.add(ReasonCode.PART_MISSING, "name", name));
        for (WatchedFigure figure : watched) {
            if (!figure.outage().recovered()) {
                long lowMs = figure.outage().awayAtEndUs() / Units.US_PER_MS;
                found.add(ReasonCode.NOT_RECOVERED, "figure", figure.name(), "low_ms", lowMs);
            }
        }
        limits.forEach(found::addLimit);
        return found.reasons;
    }

    /** Was the fault fired, confirmed and healed, and is the pair as before? */
    private void addPlan(Ownership ownership) {
        FaultRun fault = run.fault();
        PlanTimes plan = run.plan();
        String error = fault.error();
        String stopped = run.stopped().isEmpty() && error.startsWith(INTERRUPTED) ? error : run.stopped();
        if (!stopped.isEmpty()) {
            add(ReasonCode.STOPPED, "why", stopped);
            error = error.equals(stopped) ? "" : error;
        }
        boolean isRefused = plan.startUs() == null && !error.isEmpty();
        if ((plan.startUs() == null || plan.endUs() == null) && !isRefused) {
            add(ReasonCode.NO_END);
        }
        String planned = fault.isNone() ? run.settings().text("fault_planned") : fault.name();
        if (!fault.isNone() && course.isFired()) {
            addFault(fault, error, ownership);
        } else if (planned != null && !run.isDryRun()) {
            String refusal = planned + " does not fire: ";
            String rest = error.startsWith(refusal) ? error.substring(refusal.length()) : error;
            add(ReasonCode.NOT_FIRED, "fault", planned, "why", because(rest));
        } else if (!error.isEmpty()) {
            add(ReasonCode.FAULT_ERROR, "why", error);
        }
    }

    private void addFault(FaultRun fault, String error, Ownership ownership) {
        boolean isProved = run.plan().confirmedUs() != null;
        boolean isSeen = course.data().flaws().isEmpty();
        FaultProof proof =
                new FaultProof(course, ownership, NodeLife.of(course.data().points()));
        if (!isProved) {
            add(ReasonCode.NOT_CONFIRMED, "fault", fault.name(), "why", because(error));
        } else if (isSeen && !proof.isConfirmed()) {
            needsReport("nothing here shows that " + fault.name() + " had an effect");
        }
        if (run.plan().healedUs() == null) {
            add(ReasonCode.NOT_HEALED, "fault", fault.name(), "why", because(error));
            return;
        }
        if (!error.isEmpty() && isProved) {
            add(ReasonCode.FAULT_ERROR, "why", error);
        }
        if (isSeen && run.plan().endUs() != null && !proof.isRestored()) {
            needsReport("the pair is not known to be as it was before " + fault.name());
        }
    }

    private void addProbes() {
        if (!run.isProbed()) {
            addOtherMaster();
            return;
        }
        if (course.fresh().isEmpty()) {
            add(ReasonCode.NO_PROBE);
        }
        RequestTally probes = course.counts().probes();
        RequestCounts before = probes.in(PhaseName.BASELINE);
        if (probes.has(PhaseName.BASELINE) && course.data().isWhole(RunData.PROBES)) {
            if (before.failed() > 0) {
                addFailed(ReasonCode.FAILED_BEFORE, before);
            } else if (before.total() == 0) {
                add(ReasonCode.NO_PROBE_BEFORE);
            } else if (course.isFired() && before.late() > Outcome.LATE_SHARE * before.total()) {
                add(ReasonCode.LATE_BEFORE, "late", before.late(), "total", before.total());
            }
        }
        Tree account = run.generator();
        if (!account.has("scheduled") || !account.has("unsent")) {
            add(ReasonCode.NO_ACCOUNT, "why", because(account.text("warning", "")));
        }
        if (account.whole("lost", 0) > 0) {
            add(ReasonCode.PROBES_LOST, "lost", account.whole("lost"));
        }
        addOtherMaster();
    }

    private void addFailed(ReasonCode code, RequestCounts before) {
        add(code, "failed", before.failed(), "total", before.total(), "most", "");
    }

    /** The balancer that was hit is the one that had answered. */
    private void addOtherMaster() {
        String master = run.fault().master();
        List<String> balancers = run.balancers();
        if (run.fault().kind().equals(FaultRun.MASTER) && balancers.contains(master)) {
            course.counts().balancersBefore().forEach((node, answers) -> {
                if (balancers.contains(node) && !node.equals(master)) {
                    add(ReasonCode.OTHER_MASTER, "node", node, "answers", answers, "master", master);
                }
            });
        }
    }

    /** Whether all workers were there until the end of the load, and what they recorded is here. */
    private void addLoad() {
        RequestTally samples = course.counts().samples();
        RequestCounts before = samples.in(PhaseName.BASELINE);
        // A load without a fault is all baseline, and its failures are what it measured.
        if (course.isFired()
                && course.data().isWhole(RunData.SAMPLES)
                && before.failed() > LOAD_SHARE * before.total()) {
            addFailed(ReasonCode.LOAD_FAILED_BEFORE, before);
        }
        Tree settings = run.settings();
        if (LoadFacts.RUNNING.equals(settings.child("load").text("state"))) {
            add(ReasonCode.LOAD_NOT_ENDED);
        }
        boolean isCounted = !run.workers().isEmpty();
        long written = 0;
        for (Tree worker : run.workers()) {
            String name = orElse(worker.text("worker", ""), "the load") + " on "
                    + orElse(worker.text("host", ""), "an unknown host");
            if (WorkerFacts.LOST.equals(worker.text("ended"))) {
                add(ReasonCode.WORKER_LOST, "worker", name);
            }
            long lost = worker.whole("lost", 0);
            if (lost > 0) {
                add(ReasonCode.SAMPLES_LOST, "worker", name, "lost", lost);
            }
            isCounted &= worker.has("samples");
            written += worker.whole("samples", 0) - lost;
        }
        if (settings.has("load") && samples.lines() == 0) {
            add(ReasonCode.NO_SAMPLE);
        } else if (settings.has("load") && isCounted && written != samples.lines()) {
            add(ReasonCode.SAMPLES_DIFFER, "recorded", written, "found", samples.lines());
        }
    }

    /**
     * No probe was sent for so long that anything may have happened; or the edges are too far apart. What comes after the
     * heal is held against the fault's outage, too.
     */
    private void addFigure(WatchedFigure watched, Outage ofFault) {
        Outage outage = watched.outage();
        long seenUs = Math.max(outage.durationUs(), ofFault.durationUs());
        if (outage.detectionLimitUs() > Unseen.limitUs(seenUs, outage.intervalUs())) {
            reasons.add(VerdictReason.of(
                    ReasonCode.UNSEEN,
                    "figure",
                    watched.name(),
                    "event",
                    watched.event(),
                    "unseen_ms",
                    (long) Math.rint(Units.msOfUs(outage.detectionLimitUs())),
                    "after_s",
                    Units.secondsOfUs(
                            outage.unseen().fromUs() - watched.within().fromUs())));
        }
        boolean wide = outage.earlyUs() > Math.max(WIDE_SHARE * outage.durationUs(), WIDE_US);
        boolean decided =
                limits.stream().anyMatch(result -> result.name().equals(watched.limit()) && result.isDecided());
        if (wide && !decided && !outage.censored()) {
            long lowMs = (outage.durationUs() - outage.earlyUs()) / Units.US_PER_MS;
            long highMs = -Math.floorDiv(-outage.durationUs(), Units.US_PER_MS);
            add(ReasonCode.WIDE_BOUND, "figure", watched.name(), "low_ms", lowMs, "high_ms", highMs);
        }
    }

    private void addLimit(LimitResult result) {
        String why = result.note().isEmpty() ? "" : " (" + result.note() + ")";
        String figure = result.name() + " " + result.figureText();
        switch (result.state()) {
            case UNMEASURED ->
                add(ReasonCode.LIMIT_UNMEASURED, "name", result.limit().text(), "why", result.note());
            case EXCEEDED -> addLimit(ReasonCode.LIMIT_EXCEEDED, result, figure, why);
            case INCONCLUSIVE -> addLimit(ReasonCode.LIMIT_INCONCLUSIVE, result, figure, why);
            case KEPT -> {}
        }
    }

    private void addLimit(ReasonCode code, LimitResult result, String figure, String why) {
        String text = result.limit().text();
        add(code, "name", text, "figure", figure, "limit", result.limitText(), "why", why);
    }

    private void needsReport(String what) {
        add(ReasonCode.NEEDS_REPORT, "what", what, "run", run.id());
    }

    /** What stands behind the text of a reason, if anything is known. */
    private static String because(String why) {
        return why.isEmpty() ? "" : ": " + why;
    }

    private static String orElse(String value, String otherwise) {
        return value.isEmpty() ? otherwise : value;
    }

    private void add(ReasonCode code, Object... figures) {
        reasons.add(VerdictReason.of(code, figures));
    }
}
