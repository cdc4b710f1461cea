package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.OutageFigures;
import io.github.switchover.jmeter.run.OutageFigures.Edges;
import io.github.switchover.jmeter.run.OutageFigures.GapFigures;
import io.github.switchover.jmeter.run.OutageFigures.GapLists;
import io.github.switchover.jmeter.run.OutageFigures.Length;
import io.github.switchover.jmeter.run.OutageFigures.Sums;
import io.github.switchover.jmeter.run.OutageKind;
import java.util.List;
import java.util.stream.Stream;

/**
 * What one event (a fault, or its heal) cost.
 *
 * @param duration an upper estimate
 * @param gaps those of the outage
 * @param later_gaps those after a stability window had opened
 * @param losses what the impaired probes say of it
 * @param unseen the longest stretch outside of all gaps in which no probe was sent, between the event and its horizon
 */
public record Outage(
        OutageKind kind, AwayTime duration, List<Gap> gaps, List<Gap> later_gaps, Losses losses, Span unseen) {

    /**
     * How long it took.
     *
     * @param earlyUs by how much the true outage may have been shorter
     * @param censored no stability window opened before the horizon: the duration is a lower bound
     */
    public record AwayTime(long us, long earlyUs, boolean censored) {
        static final AwayTime NONE = new AwayTime(0, 0, false);
    }

    /**
     * By the number of probes.
     *
     * @param derivedMs impaired probes divided by their rate (RFC 6412 section 3.6.1); null: the rate is unknown
     * @param intervalUs between two probes; null: the rate is unknown
     */
    public record Losses(Double derivedMs, Double intervalUs) {}

    /** Gaps that are listed one by one; their count has them all. */
    private static final int LISTED = 200;

    public Outage {
        gaps = List.copyOf(gaps);
        later_gaps = List.copyOf(later_gaps);
    }

    public long durationUs() {
        return duration.us;
    }

    public long earlyUs() {
        return duration.earlyUs;
    }

    public boolean censored() {
        return duration.censored;
    }

    public Double intervalUs() {
        return losses.intervalUs;
    }

    /** A gap up to this long may have come elsewhere, unseen. */
    public long detectionLimitUs() {
        return unseen.lengthUs();
    }

    /** How long the service was away, in microseconds; without an end where it was not seen to recover. */
    public Interval length() {
        if (kind == OutageKind.NONE) {
            return new Interval(0, (double) detectionLimitUs());
        }
        return new Interval(durationUs() - earlyUs(), censored() ? null : (Double) (double) durationUs());
    }

    /** When it began; null without an impaired probe. */
    public Long fromUs() {
        return gaps.isEmpty() ? null : (Long) gaps.get(0).away().fromUs();
    }

    /** When it ended; null without an impaired probe. */
    public Long toUs() {
        return gaps.isEmpty() ? null : (Long) gaps.get(gaps.size() - 1).away().toUs();
    }

    /** The stretches in which it may have begun, and ended; none without an impaired probe. */
    List<Span> edges() {
        if (gaps.isEmpty()) {
            return List.of();
        }
        Gap first = gaps.get(0);
        Gap last = gaps.get(gaps.size() - 1);
        long fromUs = first.away().fromUs();
        long sentUs = first.sent().fromUs();
        Span begin = new Span(Math.min(fromUs, sentUs), Math.max(fromUs, sentUs));
        long toUs = last.away().toUs();
        return last.closed() ? List.of(begin, new Span(toUs - last.earlyRightUs(), toUs)) : List.of(begin);
    }

    public long impaired() {
        return all().mapToLong(gap -> gap.failed() + gap.late()).sum();
    }

    /** From the start of the first gap to the end of the last, later gaps included. */
    public long envelopeUs() {
        return gaps.isEmpty()
                ? 0
                : all().mapToLong(gap -> gap.away().toUs()).max().orElseThrow() - fromUs();
    }

    public long sumOfGapsUs() {
        return all().mapToLong(Gap::durationUs).sum();
    }

    public long longestLaterGapUs() {
        return later_gaps.stream().mapToLong(Gap::durationUs).max().orElse(0);
    }

    /** A stability window opened, and nothing was away again when the horizon came. */
    public boolean recovered() {
        return !censored() && later_gaps.stream().allMatch(Gap::closed);
    }

    /** For how long at least the service had been away when the horizon came; 0 where it had recovered. */
    long awayAtEndUs() {
        List<Interval> still = censored()
                ? List.of(length())
                : later_gaps.stream()
                        .filter(gap -> !gap.closed())
                        .map(Gap::length)
                        .toList();
        return (long) Interval.longestOf(still).low();
    }

    /** When the first impaired probe was sent; null without one. */
    public Long firstImpairedUs() {
        return gaps.isEmpty() ? null : (Long) gaps.get(0).sent().fromUs();
    }

    /** As verdict.json has it; null of nothing. */
    static OutageFigures figures(Outage outage) {
        return outage == null ? null : outage.figures();
    }

    private OutageFigures figures() {
        Interval length = length();
        return new OutageFigures(
                kind,
                new Length(
                        milliseconds(length.low()),
                        length.high() == null ? null : (Double) milliseconds(length.high()),
                        milliseconds(detectionLimitUs()),
                        censored(),
                        recovered()),
                new Edges(fromUs(), toUs()),
                new Sums(
                        milliseconds(envelopeUs()),
                        milliseconds(sumOfGapsUs()),
                        losses.derivedMs == null ? null : (Double) Numbers.round(losses.derivedMs, 3),
                        impaired(),
                        losses.intervalUs == null ? null : (Double) milliseconds(losses.intervalUs)),
                new GapLists(listed(gaps), gaps.size(), listed(later_gaps), later_gaps.size()));
    }

    private static List<GapFigures> listed(List<Gap> gaps) {
        return gaps.stream()
                .limit(LISTED)
                .map(gap -> new GapFigures(
                        gap.away().fromUs(),
                        gap.away().toUs(),
                        milliseconds(gap.durationUs()),
                        gap.failed(),
                        gap.late()))
                .toList();
    }

    private static double milliseconds(long microseconds) {
        return milliseconds((double) microseconds);
    }

    private static double milliseconds(double microseconds) {
        return Numbers.round(microseconds / Units.US_PER_MS, 3);
    }

    private Stream<Gap> all() {
        return Stream.concat(gaps.stream(), later_gaps.stream());
    }
}
