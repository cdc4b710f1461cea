package io.github.switchover.jmeter.verdict;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.FaultTraits;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.LoadFile;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.telemetry.BalancerState;
import io.github.switchover.jmeter.verdict.Limit.LimitResult;
import io.github.switchover.jmeter.verdict.OutageMeter.Unseen;
import io.github.switchover.jmeter.verdict.Phases.Phase.PhaseName;
import io.github.switchover.jmeter.verdict.RequestTally.RequestCounts;
import io.github.switchover.jmeter.verdict.RunCourse.WatchedFigure;
import io.github.switchover.jmeter.verdict.RunData.RunFiles;
import io.github.switchover.jmeter.verdict.Verdict.VerdictReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Collects the reasons that worsen the status of a run, which differ from facts that only widen an interval. */
final class Reasons {

    /** The highest share of failures in the baseline with which later failures are attributed to the switchover. */
    private static final double LOAD_SHARE = 0.01;

    /** A figure is too uncertain if its uncertainty exceeds {@code WIDE_US} and this fraction of the figure. */
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

    /** Returns all reasons, in the order of the steps of a run. */
    static List<VerdictReason> of(RunCourse course, List<LimitResult> limits, Ownership ownership) {
        Reasons collected = new Reasons(course, limits);
        collected.addPlan(ownership);
        if (collected.run.isOfChanges()) {
            collected.needsReport("JMeter alone cannot measure the cost of the changes");
        }
        RunFiles files = course.data().files();
        for (String name : files.damaged().keySet()) {
            collected.add(
                    ReasonCode.FILE_DAMAGED, "name", name, "what", course.data().whyDamaged(name));
        }
        if (!files.unsealed().isEmpty()) {
            collected.needsReport(
                    "no checksum shows whether these files are complete: " + String.join(", ", files.unsealed()));
        }
        if (collected.isRefused()) {
            return collected.reasons;
        }
        collected.addProbes();
        collected.addLoad();
        List<WatchedFigure> watched = course.watched();
        watched.forEach(figure -> collected.addFigure(figure, watched.get(0).outage()));
        course.data().files().missing().forEach(name -> collected.add(ReasonCode.PART_MISSING, "name", name));
        for (WatchedFigure figure : watched) {
            if (!figure.outage().recovered()) {
                long lowMs = figure.outage().awayAtEndUs() / Units.US_PER_MS;
                collected.add(ReasonCode.NOT_RECOVERED, "figure", figure.name(), "low_ms", lowMs);
            }
        }
        limits.forEach(collected::addLimit);
        return collected.reasons;
    }

    /** Returns true if the preflight or a lock refused the run before its first request. */
    private boolean isRefused() {
        boolean isBegun = run.plan().startUs() != null || course.isFired();
        return !isBegun && !run.fault().error().isEmpty();
    }

    /** Adds a reason if the fault was not fired, confirmed or healed, or if the pair may have changed. */
    private void addPlan(Ownership ownership) {
        FaultRun fault = run.fault();
        PlanTimes plan = run.plan();
        String error = fault.error();
        String stopped = run.stopped();
        if (!stopped.isEmpty()) {
            add(ReasonCode.STOPPED, "why", stopped);
            error = error.equals(stopped) ? "" : error;
        }
        if ((plan.startUs() == null || plan.endUs() == null) && !isRefused()) {
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
        boolean isSeen = course.data().files().damaged().isEmpty();
        FaultProof proof =
                new FaultProof(course, ownership, NodeLife.of(course.data().points()));
        if (!isProved) {
            add(ReasonCode.NOT_CONFIRMED, "fault", fault.name(), "why", because(error));
        } else if (isSeen && !proof.isConfirmed()) {
            needsReport("JMeter alone cannot confirm an effect of " + fault.name());
        }
        if (run.plan().healedUs() == null) {
            add(ReasonCode.NOT_HEALED, "fault", fault.name(), "why", because(error));
            return;
        }
        if (!error.isEmpty() && isProved) {
            add(ReasonCode.FAULT_ERROR, "why", error);
        }
        if (isSeen && run.plan().endUs() != null && !proof.isRestored()) {
            needsReport("JMeter alone cannot confirm that the pair is as it was before " + fault.name());
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

    /** Adds a reason if a balancer other than the victim answered before the fault. */
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

    /** Adds a reason if a worker was missing before the end of the load, or if its recorded samples are missing. */
    private void addLoad() {
        RequestTally samples = course.counts().samples();
        RequestCounts before = samples.in(PhaseName.BASELINE);
        // In a load without a fault, all requests are in the baseline, and failures are a result of the test.
        if (course.isFired()
                && course.data().isWhole(RunData.SAMPLES)
                && before.failed() > LOAD_SHARE * before.total()) {
            addFailed(ReasonCode.LOAD_FAILED_BEFORE, before);
        }
        Tree settings = run.settings();
        if (LoadFile.RUNNING.equals(settings.child("load").text("state"))) {
            add(ReasonCode.LOAD_NOT_ENDED);
        }
        boolean isCounted = !run.workers().isEmpty();
        long written = 0;
        for (Tree worker : run.workers()) {
            String name = orElse(worker.text("worker", ""), "the load") + " on "
                    + orElse(worker.text("host", ""), "an unknown host");
            if (LoadFile.LOST.equals(worker.text("ended"))) {
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
     * Adds reasons for a figure that is unknown, because no probe was sent for long, or too uncertain.
     *
     * <p>The failback is also compared with the outage of the fault.
     */
    private void addFigure(WatchedFigure watched, Outage ofFault) {
        Outage outage = watched.outage();
        long seenUs = Math.max(outage.durationUs(), ofFault.durationUs());
        if (outage.detectionLimitUs() > Unseen.limitUs(seenUs, outage.intervalUs())) {
            long unseenMs = (long) Math.rint(Units.msOfUs(outage.detectionLimitUs()));
            double afterS = Units.secondsOfUs(
                    outage.unseen().fromUs() - watched.within().fromUs());
            String figure = watched.name();
            add(
                    ReasonCode.UNSEEN,
                    "figure",
                    figure,
                    "event",
                    watched.event(),
                    "unseen_ms",
                    unseenMs,
                    "after_s",
                    afterS);
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
        if (result.limit().needsReport()) {
            needsReport("JMeter alone cannot check the limit " + result.limit().text());
            return;
        }
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
        add(code, "name", text, "figure", figure, "limit", result.limit().maximum(), "why", why);
    }

    private void needsReport(String what) {
        add(ReasonCode.NEEDS_REPORT, "what", what, "run", run.id());
    }

    private static String because(String why) {
        return why.isEmpty() ? "" : ": " + why;
    }

    private static String orElse(String value, String otherwise) {
        return value.isEmpty() ? otherwise : value;
    }

    private void add(ReasonCode code, @Nullable Object... figures) {
        reasons.add(VerdictReason.of(code, figures));
    }

    /** The short confirmation and restoration: proved or unknown, with each source that could contradict a proof. */
    record FaultProof(RunCourse course, Ownership ownership, Map<String, NodeLife> lives) {

        /** True if a bad probe, a new generation of the victim, or a move of the address confirms the fault. */
        boolean isConfirmed() {
            FaultRun fault = course.run().fault();
            Span faulted = course.faulted();
            List<String> named =
                    fault.sources().isEmpty() ? FaultTraits.of(fault.name()).sources() : fault.sources();
            boolean isUnknownFault = named.isEmpty() && !fault.kind().equals(FaultRun.BACKEND);
            NodeLife victim = lives.get(fault.hit());
            BalancerState before = victim == null ? null : victim.lastBefore(faulted.fromUs());
            boolean isRenewed = before != null
                    && (requireNonNull(victim).between(faulted).stream()
                                    .anyMatch(state -> !state.generation().equals(before.generation()))
                            || victim.isSilentAt(faulted.toUs(), faulted.fromUs()));
            boolean isSilent = before != null && requireNonNull(victim).isSilentWithin(faulted);
            boolean isDenied = named.contains("frontend")
                    || (before != null && named.contains("generation") && !isRenewed)
                    || (before != null && named.contains("scrapes") && !isSilent);
            boolean isMoved = ownership.movedFrom(fault.master(), faulted);
            boolean isImpaired = course.outage() != null && course.outage().impaired() > 0;
            return !isDenied
                    && (isImpaired
                            || (isRenewed && (isUnknownFault || named.contains("generation")))
                            || (isSilent && named.contains("scrapes"))
                            || (isMoved && (isUnknownFault || named.contains("owner"))));
        }

        /** True if each balancer answers with its servers after the heal, and one node holds the address. */
        boolean isRestored() {
            PlanTimes plan = course.run().plan();
            long startedUs = requireNonNull(plan.healedUs()) + Judge.SETTLED_US;
            long endUs = requireNonNull(plan.endUs());
            Double returnsMs = course.run().fault().tree().number("failback_settled_ms");
            boolean isSettled = endUs >= startedUs + (returnsMs == null ? 0 : returnsMs) * Units.US_PER_MS;
            for (NodeLife life : lives.values()) {
                long lookedUs = endUs >= startedUs ? endUs : life.askedUs();
                if (lookedUs >= startedUs && !isAsBefore(life, lookedUs, isSettled)) {
                    return false;
                }
            }
            return !isSettled || isAddressBack(returnsMs != null);
        }

        private boolean isAsBefore(NodeLife life, long lookedUs, boolean isSettled) {
            long firedUs = requireNonNull(course.run().plan().firedFromUs());
            BalancerState before = life.lastBefore(firedUs);
            if (before == null || !life.isAskedAt(lookedUs, firedUs)) {
                return true;
            }
            BalancerState after = life.lastBefore(lookedUs + 1);
            if (after == null || life.isSilentAt(lookedUs, firedUs)) {
                return false;
            }
            return !isSettled
                    || (after.frontends()
                                    .entrySet()
                                    .containsAll(before.frontends().entrySet())
                            && after.serversUp().containsAll(before.serversUp()));
        }

        private boolean isAddressBack(boolean isToReturn) {
            TreeSet<String> balancers = new TreeSet<>(course.run().balancers());
            if (balancers.size() < 2 || !ownership.nodes().containsAll(balancers)) {
                return true;
            }
            List<String> holders = balancers.stream()
                    .filter(node -> ownership.holdsAt(
                            node, requireNonNull(course.run().plan().endUs())))
                    .toList();
            String master = course.run().fault().master();
            boolean isElsewhere =
                    isToReturn && master != null && balancers.contains(master) && !holders.contains(master);
            return holders.size() == 1 && !isElsewhere;
        }
    }
}
