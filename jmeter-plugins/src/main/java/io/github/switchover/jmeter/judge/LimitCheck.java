package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Span.Interval;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Limit.LimitResult;
import io.github.switchover.jmeter.judge.Limit.Name;
import io.github.switchover.jmeter.judge.OutageMeter.Unseen;
import io.github.switchover.jmeter.judge.Phases.Phase.PhaseName;
import io.github.switchover.jmeter.judge.RequestTally.RequestCounts;
import io.github.switchover.jmeter.judge.RunData.UnreadLines;
import io.github.switchover.jmeter.run.PlanTimes.CutPhase;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.List;

/**
 * Compares limits with the figures of a run.
 *
 * @param splitBrain null: unknown
 */
record LimitCheck(RunCourse course, SplitBrain splitBrain) {

    /** The fault that takes a node off the network, and cuts the connection to the node's ownership source. */
    private static final String NODE_DOWN = "node-down";

    private static final String NO_SOURCE = "a balancer had no VIP ownership source for a part of the run";
    private static final String NO_CLOCKS = "in the order of arrival: the clocks of the balancers are unknown";

    /**
     * Checks the limits that the user set. Adds a limit of 0 on split brain if the run had ownership sources, and on
     * unaccounted requests if all traffic is from the test.
     */
    List<LimitResult> check(List<Limit> asked) {
        Run run = course.run();
        List<Limit> all = new ArrayList<>(asked);
        boolean isCutOff = run.fault().name().equals(NODE_DOWN);
        if ((splitBrain != null || (run.isOwnershipObserved() && !isCutOff)) && !has(asked, Name.SPLIT_BRAIN)) {
            all.add(Limit.none(Name.SPLIT_BRAIN));
        }
        if (run.isExclusive() && !has(asked, Name.UNACCOUNTED)) {
            all.add(Limit.none(Name.UNACCOUNTED));
        }
        return all.stream().map(this::check).toList();
    }

    private static boolean has(List<Limit> asked, Name name) {
        return asked.stream().anyMatch(limit -> limit.name() == name);
    }

    /** The reason why an outage is unknown. */
    static String unprobed(Run run) {
        return run.isProbed() ? "no probe was recorded" : "there was no prober";
    }

    private LimitResult check(Limit limit) {
        String lost = course.data().whyDamaged(source(limit));
        if (!lost.isEmpty() && !limit.name().isOfReport()) {
            return limit.unmeasured(lost);
        }
        RequestTally counted = course.counts().judged();
        return switch (limit.name()) {
            case OUTAGE ->
                course.outage() == null
                        ? limit.unmeasured(unprobed(course.run()))
                        : ofOutage(limit, course.outage(), cut(CutPhase.HOLD));
            case FAILBACK -> ofFailback(limit);
            case FAILED -> count(limit, counted.in(PhaseName.SWITCHOVER).failed(), counted.in(PhaseName.SWITCHOVER));
            case LATE -> count(limit, counted.in(PhaseName.SWITCHOVER).late(), counted.in(PhaseName.SWITCHOVER));
            case FAILED_TOTAL -> count(limit, counted.whole().failed(), counted.whole());
            case SPLIT_BRAIN -> splitBrain == null ? limit.unmeasured(NO_SOURCE) : ofSplitBrain(limit);
            case LOST, LOSSY, DELAY, UNACCOUNTED ->
                new LimitResult(limit, null, LimitResult.LimitState.INCONCLUSIVE, Limit.BY_REPORT);
        };
    }

    private LimitResult ofSplitBrain(Limit limit) {
        Interval length = splitBrain.length().dividedBy(Units.US_PER_MS);
        return limit.against(length, length.high() == null ? NO_CLOCKS : "");
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
            return ofOutage(limit, course.failback(), cut(CutPhase.RECOVER));
        }
        String none = "the fault was not healed while the load ran, so there is no failback";
        return limit.unmeasured(course.outage() == null ? unprobed(course.run()) : none);
    }

    private String cut(String phase) {
        return course.run().cutPhases().getOrDefault(phase, "");
    }

    /**
     * Compares the limit with the longest of the outage, its later gaps, and, if it is too long to be ignored, the
     * detection limit. An outage without recovery exceeds any limit.
     *
     * @param cut how the phase was cut short, or empty; in a phase cut short, an outage may have come later
     */
    static LimitResult ofOutage(Limit limit, Outage outage, String cut) {
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
        if (!cut.isEmpty()) {
            String note = "no probe was impaired, but " + cut + ": an outage may have begun later";
            return new LimitResult(limit, new Interval(0, null), LimitResult.LimitState.INCONCLUSIVE, note);
        }
        Interval none = unseen.dividedBy(Units.US_PER_MS);
        return fine && limit.limit() != null
                ? new LimitResult(limit, none, LimitResult.LimitState.KEPT, "")
                : limit.against(none, "");
    }

    /** Checks a count. Each row that could not be read may be in the count or not. */
    private LimitResult count(Limit limit, long number, RequestCounts counts) {
        UnreadLines lines = course.data().unread();
        long unread = UnreadLines.rows(course.counts().samples().lines() == 0 ? lines.probes() : lines.samples());
        if (counts.total() == 0) {
            String none = limit.name() == Name.FAILED_TOTAL ? "no request" : "no switchover phase";
            return limit.unmeasured(none + " to count in");
        }
        double every = limit.unit().equals("share") ? counts.total() + unread : 1;
        String lost = unread == 0 ? "" : "; " + Numbers.grouped(unread) + " more could not be read";
        return limit.against(
                new Interval(number / every, (number + unread) / every),
                Numbers.grouped(number) + " of " + Numbers.grouped(counts.total()) + lost);
    }
}
