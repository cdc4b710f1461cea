package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.judge.Trust.WatchedFigure;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.List;

/**
 * What happened in a run: the outage and the failback as the probes saw them, and the phases that follow from both.
 *
 * @param fresh the probes on fresh connections
 * @param faulted from the fault, or the start, to the heal, or the end
 * @param endUs of the run; of the last probe, where the run did not say
 * @param outage null: not known; the failback, too
 */
record RunCourse(
        PlanTimes plan,
        List<Probe> fresh,
        Span faulted,
        long endUs,
        Outage outage,
        Outage failback,
        List<Phase> phases) {

    static RunCourse of(RunData data) {
        Run run = data.run();
        PlanTimes plan = run.plan();
        List<Probe> fresh = Probe.fresh(data.probes(), run.settings().lateUs());
        long lastUs = fresh.stream().mapToLong(Probe::endUs).max().orElse(0);
        long endUs = plan.endUs() == null ? lastUs : plan.endUs();
        Span faulted = new Span(first(plan.firedFromUs(), first(plan.startUs(), 0)), first(plan.healFromUs(), endUs));
        Double rate = run.settings().probeRate();
        Long firstDueUs = run.evidence().generator().fresh().due().firstDueUs();
        Outage outage = null;
        Outage failback = null;
        // Without probes it is unknown, not none.
        if (run.settings().isProbed() && !fresh.isEmpty() && data.isWhole(Flaw.PROBES)) {
            long watchedUs = plan.firedFromUs() != null
                    ? faulted.fromUs()
                    : first(firstDueUs, fresh.get(0).startUs());
            outage = OutageMeter.measure(fresh, faulted, watchedUs, rate, plan.healFromUs() != null);
            if (plan.healInTimeUs() != null) {
                Span healed = new Span(faulted.toUs(), endUs);
                failback = OutageMeter.measure(fresh, healed, healed.fromUs(), rate, false);
            }
        }
        List<Phase> phases = Phases.of(plan, outage, failback, firstDueUs);
        return new RunCourse(plan, fresh, faulted, endUs, outage, failback, phases);
    }

    boolean isFired() {
        return plan.firedFromUs() != null;
    }

    /** Outage and failback, where they are known. */
    List<WatchedFigure> watched() {
        List<WatchedFigure> watched = new ArrayList<>();
        if (outage != null) {
            watched.add(new WatchedFigure(
                    "outage", isFired() ? "outage" : "run", isFired() ? "fault" : "start", outage, faulted));
        }
        if (failback != null) {
            watched.add(new WatchedFigure("failback", "failback", "heal", failback, new Span(faulted.toUs(), endUs)));
        }
        return watched;
    }

    private static long first(Long one, long other) {
        return one == null ? other : one;
    }
}
