package io.github.switchover.jmeter.judge;

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

    private Stream<Gap> all() {
        return Stream.concat(gaps.stream(), strays.stream());
    }
}
