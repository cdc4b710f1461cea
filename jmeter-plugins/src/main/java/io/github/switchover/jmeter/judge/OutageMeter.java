package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.run.OutageKind;
import java.util.List;

/**
 * How long the service was away, from the probes of one stream.
 *
 * <p>The timestamp method of RFC 6201 section 1.3: from the last good answer before the first impairment to the first
 * good answer after it. Recovery counts only once it lasts, as in RFC 6412 sections 3.7.5 and 3.7.6. All times are whole
 * microseconds of the run's clock, so that every implementation of these definitions agrees exactly.
 *
 * <p>The result is an upper estimate: the service was alive when it sent the last good answer, and back when it sent the
 * first.
 */
public final class OutageMeter {

    /** Recovery must last this long (RFC 6412 section 3.7.6), or up to the next planned event. */
    public static final long CLEAN_WINDOW_US = 5_000_000;

    /** And hold for this many consecutive probes (RFC 6412 section 3.7.5). */
    public static final int CLEAN_PROBES = 5;

    private static final double US_PER_SECOND = 1e6;

    private OutageMeter() {}

    /**
     * The outage that began at or after {@code sinceUs}, as far as it can be seen before {@code horizonUs}.
     *
     * @param probes in send order
     * @param sinceUs when the fault (or the heal) was fired
     * @param horizonUs the next planned event, or without one the end of the run: then answers after it still count
     * @param rate of the probes, per second; null: unknown
     */
    public static Outage measure(List<Probe> probes, long sinceUs, long horizonUs, Double rate, boolean nextEvent) {
        Double intervalUs = rate == null ? null : (Double) (US_PER_SECOND / rate);
        List<GapFinder.FoundGap> found = new GapFinder(probes, sinceUs, horizonUs, nextEvent).gaps();
        if (found.isEmpty()) {
            return Outage.none(rate == null ? null : (Double) 0.0, intervalUs);
        }
        List<Gap> gaps = found.stream().map(GapFinder.FoundGap::gap).toList();
        int closing = closing(found);
        int inside = closing < 0 ? gaps.size() : closing + 1;
        Gap first = gaps.get(0);
        Gap last = gaps.get(inside - 1);
        long durationUs = last.toUs() - first.fromUs();
        long impaired =
                gaps.stream().mapToLong(gap -> gap.failed() + gap.late()).sum();
        return new Outage(
                kind(gaps.subList(0, inside), durationUs),
                durationUs,
                Math.min(first.earlyLeftUs() + last.earlyRightUs(), durationUs),
                closing < 0,
                first.fromUs(),
                last.toUs(),
                gaps.subList(0, inside),
                gaps.subList(inside, gaps.size()),
                rate == null ? null : (Double) (impaired * 1000 / rate),
                intervalUs);
    }

    private static OutageKind kind(List<Gap> gaps, long durationUs) {
        long longestUs = gaps.stream().mapToLong(Gap::durationUs).max().orElse(0);
        return gaps.size() > 1 && longestUs * 2 < durationUs ? OutageKind.PARTIAL : OutageKind.OUTAGE;
    }

    /** The first gap that a clean window follows; -1 if none does. */
    private static int closing(List<GapFinder.FoundGap> found) {
        for (int index = 0; index < found.size(); index++) {
            Gap gap = found.get(index).gap();
            boolean clean = gap.closed() && found.get(index).good() >= CLEAN_PROBES;
            boolean lasts =
                    index + 1 == found.size() || found.get(index + 1).gap().firstUs() - gap.toUs() >= CLEAN_WINDOW_US;
            if (clean && lasts) {
                return index;
            }
        }
        return -1;
    }
}
