package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.verdict.Phases.Phase;
import io.github.switchover.jmeter.verdict.Phases.Phase.PhaseName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The course of a run. {@code faulted}: from the fault (or the start) to the heal (or the end). */
record RunCourse(
        RunData data,
        List<Probe> fresh,
        Span faulted,
        long endUs,
        @Nullable Outage outage,
        @Nullable Outage failback,
        Counts counts) {

    /** The counts of one pass over probes and samples, and each balancer's answers in the baseline. */
    record Counts(RequestTally probes, RequestTally samples, Map<String, Long> balancersBefore) {

        /** The counts of the load; without a load, of the probes. */
        RequestTally judged() {
            return samples.lines() == 0 ? probes : samples;
        }
    }

    /** An outage or a failback, and the period, from an event on, in which probes were needed to measure it. */
    record WatchedFigure(String limit, String name, String event, Outage outage, Span within) {}

    static RunCourse of(RunData data) {
        Run run = data.run();
        PlanTimes plan = run.plan();
        List<Probe> fresh = Probe.fresh(data.probes(), run.lateUs());
        long lastUs = fresh.stream().mapToLong(Probe::endUs).max().orElse(0);
        long endUs = first(plan.endUs(), lastUs);
        Span faulted = new Span(first(plan.firedFromUs(), first(plan.startUs(), 0)), first(plan.healFromUs(), endUs));
        Long firstDueUs = run.generator().whole("first_due_us");
        Outage outage = null;
        Outage failback = null;
        // Without probes the outage is unknown, which differs from "no outage".
        if (run.isProbed() && !fresh.isEmpty() && data.isWhole(RunData.PROBES)) {
            long watchedUs = plan.firedFromUs() != null
                    ? faulted.fromUs()
                    : first(firstDueUs, fresh.get(0).startUs());
            outage = OutageMeter.measure(fresh, faulted, watchedUs, run.probeRate(), plan.healFromUs() != null);
            if (plan.healInTimeUs() != null) {
                Span healed = new Span(faulted.toUs(), endUs);
                failback = OutageMeter.measure(fresh, healed, healed.fromUs(), run.probeRate(), false);
            }
        }
        List<Phase> phases = Phases.of(plan, outage, failback, firstDueUs);
        return new RunCourse(data, fresh, faulted, endUs, outage, failback, count(data, phases));
    }

    private static Counts count(RunData data, List<Phase> phases) {
        RequestTally probes = new RequestTally(phases, data.run().lateUs());
        RequestTally samples = new RequestTally(phases, data.run().lateUs());
        Map<String, Long> before = new TreeMap<>();
        for (RequestTally tally : List.of(probes, samples)) {
            for (Sample sample : tally == probes ? data.probes() : data.samples()) {
                PhaseName phase = tally.add(sample);
                String balancer = sample.identity().balancer();
                if (phase == PhaseName.BASELINE && !balancer.isEmpty()) {
                    before.merge(balancer, 1L, Long::sum);
                }
            }
        }
        return new Counts(probes, samples, before);
    }

    Run run() {
        return data.run();
    }

    boolean isFired() {
        return run().plan().firedFromUs() != null;
    }

    /** Returns the outage and the failback, if they are known. */
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

    /** Returns the fields of verdict.json that are computed from probes and samples. */
    Tree figures() {
        Tree account = run().generator();
        return Tree.of(
                "outage", outage == null ? null : outage.tree(),
                "failback", failback == null ? null : failback.tree(),
                "probes", run().isProbed() ? counts.probes.tree() : null,
                "samples", counts.samples.lines() == 0 ? null : counts.samples.tree(),
                "generator",
                        Tree.of(
                                "scheduled", account.whole("scheduled"),
                                "unsent", account.whole("unsent"),
                                "lag_p50_ms", account.number("lag_p50_ms"),
                                "lag_p99_ms", account.number("lag_p99_ms"),
                                "cpu_percent", account.number("cpu_percent")));
    }

    private static long first(@Nullable Long one, long other) {
        return one == null ? other : one;
    }
}
