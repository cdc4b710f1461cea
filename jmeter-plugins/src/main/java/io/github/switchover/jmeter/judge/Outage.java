package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
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
 * What one event (a fault, or its heal) cost; an upper estimate.
 *
 * @param earlyUs by how much the true outage may have been shorter
 * @param censored no clean window opened before the horizon: the duration is a lower bound
 * @param fromUs null without an impaired probe
 * @param toUs null without an impaired probe
 * @param gaps those between {@code fromUs} and {@code toUs}
 * @param strays those after a clean window had opened
 * @param lossDerivedMs impaired probes divided by their rate (RFC 6412 section 3.6.1); null where the rate is unknown
 * @param intervalUs between two probes; null where the rate is unknown
 */
public record Outage(
        OutageKind kind,
        long durationUs,
        long earlyUs,
        boolean censored,
        Long fromUs,
        Long toUs,
        List<Gap> gaps,
        List<Gap> strays,
        Double lossDerivedMs,
        Double intervalUs) {

    /** Gaps that are listed one by one; their count has them all. */
    private static final int LISTED = 200;

    public Outage {
        gaps = List.copyOf(gaps);
        strays = List.copyOf(strays);
    }

    static Outage none(Double lossDerivedMs, Double intervalUs) {
        return new Outage(OutageKind.NONE, 0, 0, false, null, null, List.of(), List.of(), lossDerivedMs, intervalUs);
    }

    public long impaired() {
        return all().mapToLong(gap -> gap.failed() + gap.late()).sum();
    }

    /** From the start of the first gap to the end of the last, strays included. */
    public long envelopeUs() {
        if (gaps.isEmpty()) {
            return 0;
        }
        return all().mapToLong(Gap::toUs).max().orElseThrow() - gaps.get(0).fromUs();
    }

    public long sumOfGapsUs() {
        return all().mapToLong(Gap::durationUs).sum();
    }

    public long longestStrayUs() {
        return strays.stream().mapToLong(Gap::durationUs).max().orElse(0);
    }

    /** A clean window opened, and nothing was away again when the horizon came. */
    public boolean recovered() {
        return !censored && strays.stream().allMatch(Gap::closed);
    }

    /** When the first impaired probe was sent; null without one. */
    public Long firstImpairedUs() {
        return gaps.isEmpty() ? null : (Long) gaps.get(0).firstUs();
    }

    /** As verdict.json has it; null of nothing. */
    static OutageFigures figures(Outage outage) {
        return outage == null ? null : outage.figures();
    }

    private OutageFigures figures() {
        return new OutageFigures(
                kind,
                new Length(milliseconds(durationUs), milliseconds(earlyUs), censored, recovered()),
                new Edges(fromUs, toUs),
                new Sums(
                        milliseconds(envelopeUs()),
                        milliseconds(sumOfGapsUs()),
                        lossDerivedMs == null ? null : (Double) Numbers.round(lossDerivedMs, 3),
                        impaired(),
                        intervalUs == null ? null : (Double) milliseconds(intervalUs)),
                new GapLists(listed(gaps), gaps.size(), listed(strays), strays.size()));
    }

    private static List<GapFigures> listed(List<Gap> gaps) {
        return gaps.stream()
                .limit(LISTED)
                .map(gap -> new GapFigures(
                        gap.fromUs(), gap.toUs(), milliseconds(gap.durationUs()), gap.failed(), gap.late()))
                .toList();
    }

    private static double milliseconds(long microseconds) {
        return milliseconds((double) microseconds);
    }

    private static double milliseconds(double microseconds) {
        return Numbers.round(microseconds / 1000, 3);
    }

    private Stream<Gap> all() {
        return Stream.concat(gaps.stream(), strays.stream());
    }
}
