package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Span.Interval;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.PlanTimes.CutPhase;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.verdict.Limit.LimitResult;
import io.github.switchover.jmeter.verdict.Limit.Name;
import io.github.switchover.jmeter.verdict.OutageMeter.Unseen;
import io.github.switchover.jmeter.verdict.Phases.Phase.PhaseName;
import io.github.switchover.jmeter.verdict.RequestTally.RequestCounts;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Compares limits with the figures of a run. */
record LimitCheck(RunCourse course, @Nullable SplitBrain splitBrain) {

    /** The fault that takes a node off the network, and cuts the connection to the node's ownership source. */
    private static final String NODE_DOWN = "node-down";

    private static final String NO_SOURCE = "a balancer had no VIP ownership source for a part of the run";

    /** Checks the limits of the user, and the defaults on split brain (observed) and unaccounted (dedicated). */
    List<LimitResult> check(List<Limit> asked) {
        Run run = course.run();
        List<Limit> all = new ArrayList<>(asked);
        boolean isCutOff = run.fault().name().equals(NODE_DOWN);
        addDefault(all, Name.SPLIT_BRAIN, splitBrain != null || (run.isOwnershipObserved() && !isCutOff));
        addDefault(all, Name.UNACCOUNTED, run.isDedicated());
        return all.stream().map(this::check).toList();
    }

    private static void addDefault(List<Limit> limits, Name name, boolean hasSource) {
        if (hasSource && limits.stream().noneMatch(limit -> limit.name() == name)) {
            limits.add(Limit.byDefault(name));
        }
    }

    /** The reason why an outage is unknown. */
    static String unprobed(Run run) {
        return run.isProbed() ? "no probe was recorded" : "there was no prober";
    }

    private LimitResult check(Limit limit) {
        if (limit.needsReport()) {
            return limit.inconclusive("");
        }
        String lost = course.data().whyDamaged(source(limit));
        if (!lost.isEmpty()) {
            return limit.unmeasured(lost);
        }
        RequestTally counted = course.counts().judged();
        RequestCounts switchover = counted.in(PhaseName.SWITCHOVER);
        return switch (limit.name()) {
            case OUTAGE ->
                course.outage() == null
                        ? limit.unmeasured(unprobed(course.run()))
                        : ofOutage(limit, course.outage(), course.run().isCutShort(CutPhase.HOLD));
            case FAILBACK -> ofFailback(limit);
            case FAILED -> count(limit, switchover.failed(), switchover);
            case LATE -> count(limit, switchover.late(), switchover);
            case FAILED_TOTAL -> count(limit, counted.whole().failed(), counted.whole());
            default -> ofSplitBrain(limit);
        };
    }

    private LimitResult ofSplitBrain(Limit limit) {
        if (splitBrain == null) {
            return limit.unmeasured(NO_SOURCE);
        }
        String atOnce = "two balancers reported the address at once for "
                + Numbers.grouped(Math.round(Units.msOfUs(splitBrain.totalUs())))
                + " ms, and JMeter alone does not compare their clocks";
        return splitBrain.isNone() ? limit.against(new Interval(0, 0.0), "") : limit.inconclusive(atOnce);
    }

    /** The name prefix of the files from which the limited figure comes. */
    private String source(Limit limit) {
        return switch (limit.name()) {
            case SPLIT_BRAIN -> RunData.JOURNAL;
            case FAILED, LATE, FAILED_TOTAL -> course.run().workers().isEmpty() ? RunData.PROBES : RunData.SAMPLES;
            default -> RunData.PROBES;
        };
    }

    private LimitResult ofFailback(Limit limit) {
        if (course.failback() != null) {
            return ofOutage(limit, course.failback(), course.run().isCutShort(CutPhase.RECOVER));
        }
        String none = "the fault was not healed while the load ran, so there is no failback";
        return limit.unmeasured(course.outage() == null ? unprobed(course.run()) : none);
    }

    /**
     * Compares the limit with the longest of the outage, its later gaps, and a detection limit that is not short.
     *
     * <p>An outage without recovery exceeds any limit. {@code isCutShort}: an outage may have come later.
     */
    static LimitResult ofOutage(Limit limit, Outage outage, boolean isCutShort) {
        List<Interval> seen = new ArrayList<>(List.of(outage.length()));
        outage.laterGaps().forEach(gap -> seen.add(gap.length()));
        if (!outage.recovered()) {
            String how = outage.censored() ? "at least this long" : "down again at the end of the phase";
            Interval figure = new Interval(Interval.longestOf(seen).low() / Units.US_PER_MS, null);
            return new LimitResult(limit, figure, LimitResult.LimitState.EXCEEDED, "not recovered: " + how);
        }
        boolean fine = outage.detectionLimitUs() <= Unseen.toleratedUs(outage.intervalUs());
        Interval unseen = new Interval(0, (double) outage.detectionLimitUs());
        if (!outage.isNone()) {
            if (!fine) {
                seen.add(unseen);
            }
            return limit.against(Interval.longestOf(seen).dividedBy(Units.US_PER_MS), "");
        }
        if (isCutShort) {
            String why = "no probe was impaired, but the phase was cut short: an outage may have begun later";
            return limit.inconclusive(why);
        }
        Interval none = unseen.dividedBy(Units.US_PER_MS);
        return fine ? new LimitResult(limit, none, LimitResult.LimitState.KEPT, "") : limit.against(none, "");
    }

    /** Checks a count. If lines could not be read, the count may be higher. */
    private LimitResult count(Limit limit, long number, RequestCounts counts) {
        if (counts.total() == 0) {
            String none = limit.name() == Name.FAILED_TOTAL ? "no request" : "no switchover phase";
            return limit.unmeasured("the run has " + none);
        }
        long unread = course.data().unreadLines();
        if (unread > 0) {
            return limit.inconclusive(Numbers.grouped(unread) + " lines of the run directory could not be read");
        }
        double figure = limit.unit().equals("share") ? (double) number / counts.total() : number;
        return limit.against(
                new Interval(figure, figure), Numbers.grouped(number) + " of " + Numbers.grouped(counts.total()));
    }
}
