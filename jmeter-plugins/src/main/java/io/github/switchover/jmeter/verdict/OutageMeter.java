package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.verdict.Outage.AwayTime;
import io.github.switchover.jmeter.verdict.Outage.Gap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Measures the outage from the probes of one stream, in whole µs of the run's clock.
 *
 * <p>The method is the timestamp method of RFC 6201 section 1.3: from the last good answer before the first impairment
 * to the first good answer after it. Recovery counts only if it lasts, as in RFC 6412 sections 3.7.5 and 3.7.6.
 *
 * <p>The result is an interval: the time between these answers is the upper bound, the early time is by how much the
 * outage may have been shorter. If the client was held up when it read the last good answer, the outage may have begun
 * when that probe was sent.
 */
public final class OutageMeter {

    /** Recovery must last this long (RFC 6412 section 3.7.6), or until the next planned event. */
    public static final long STABILITY_WINDOW_US = 5_000_000;

    /** Recovery must also last for this many consecutive probes (RFC 6412 section 3.7.5). */
    public static final int CLEAN_PROBES = 5;

    /**
     * Measures the outage that began in a period of the run, as far as the probes show it before its end.
     *
     * @param probes in send order
     * @param seen from the fault (or the heal) to the next planned event; without such an event, to the end of the run,
     *     and answers after the end still count
     * @param dueFromUs the time from which probes were due, if later than the start of the period
     */
    public static Outage measure(
            List<Probe> probes, Span seen, long dueFromUs, @Nullable Double rate, boolean nextEvent) {
        List<GapFinder.FoundGap> withGood = new GapFinder(probes, seen.fromUs(), seen.toUs(), nextEvent).gaps();
        List<Gap> gaps = withGood.stream().map(GapFinder.FoundGap::gap).toList();
        Span unseen = Unseen.longest(
                probes, dueFromUs, seen.toUs(), gaps.stream().map(Gap::away).toList());
        if (withGood.isEmpty()) {
            return new Outage(Outage.Kind.NONE, AwayTime.NONE, List.of(), List.of(), rate, unseen);
        }
        int closing = closing(withGood);
        int inside = closing < 0 ? gaps.size() : closing + 1;
        List<Gap> own = gaps.subList(0, inside);
        long durationUs = own.get(inside - 1).away().toUs() - own.get(0).away().fromUs();
        Outage.Kind kind = kind(own, durationUs);
        return new Outage(
                kind,
                new AwayTime(durationUs, durationUs - leastUs(own, kind), closing < 0),
                own,
                gaps.subList(inside, gaps.size()),
                rate,
                unseen);
    }

    /**
     * Returns the lower bound: from the first gap in which the service was certainly away to the last such gap.
     *
     * <p>Answers may arrive in another order than their requests were sent. A probe that failed in the next gap may
     * have been overtaken by answers before it, and then forms a separate gap in which the service was never away.
     */
    private static long leastUs(List<Gap> gaps, Outage.Kind kind) {
        int first = 0;
        int last = gaps.size() - 1;
        if (kind == Outage.Kind.OUTAGE) {
            while (first < last && gaps.get(first).mayBeTheCostOfNext(gaps.get(first + 1))) {
                first++;
            }
            while (last > first && gaps.get(last).mayBeTheCostOfEarlier(gaps.get(last - 1))) {
                last--;
            }
        }
        Gap begin = gaps.get(first);
        Gap end = gaps.get(last);
        return Math.max(0, end.away().toUs() - end.earlyRightUs() - begin.away().fromUs() - begin.earlyLeftUs());
    }

    private static Outage.Kind kind(List<Gap> gaps, long durationUs) {
        long longestUs = gaps.stream().mapToLong(Gap::durationUs).max().orElse(0);
        return gaps.size() > 1 && longestUs * 2 < durationUs ? Outage.Kind.PARTIAL : Outage.Kind.OUTAGE;
    }

    /** The index of the first gap that a stability window follows; -1 without such a gap. */
    private static int closing(List<GapFinder.FoundGap> withGood) {
        for (int index = 0; index < withGood.size(); index++) {
            Gap gap = withGood.get(index).gap();
            boolean clean = gap.closed() && withGood.get(index).good() >= CLEAN_PROBES;
            boolean lasts = index + 1 == withGood.size()
                    || withGood.get(index + 1).gap().sent().fromUs()
                                    - gap.away().toUs()
                            >= STABILITY_WINDOW_US;
            if (clean && lasts) {
                return index;
            }
        }
        return -1;
    }

    /**
     * The periods in which no probe was sent, so that an outage in them was missed.
     *
     * <p>A period next to an outage is part of the outage's uncertainty. Of the others, the longest is the detection
     * limit.
     */
    static final class Unseen {

        /** The time between two sends above which there is a probe gap, in intervals of the schedule. */
        private static final int PROBE_GAP_INTERVALS = 10;

        /** The usual longest delay of a sender: 10 to 25 ms, 22 times in 30 s of a loop that only sleeps (measured). */
        private static final long USUAL_PROBE_GAP_US = 50_000;

        /** With a longer probe gap, the result "no outage" is too uncertain. */
        private static final double NONE_US = Units.US_PER_S;

        private static final double ALWAYS_SHARP_US = 100_000;

        /** The highest detection limit with which the result "no outage" keeps any limit. */
        static double toleratedUs(@Nullable Double intervalUs) {
            return Math.max(USUAL_PROBE_GAP_US, PROBE_GAP_INTERVALS * (intervalUs == null ? 0 : intervalUs));
        }

        /** The longest probe gap that only widens a figure: the outage, or 1 s without one ({@code seenUs} 0). */
        static double limitUs(long seenUs, @Nullable Double intervalUs) {
            double leastUs = Math.max(ALWAYS_SHARP_US, PROBE_GAP_INTERVALS * (intervalUs == null ? 0 : intervalUs));
            return Math.max(seenUs == 0 ? NONE_US : seenUs, leastUs);
        }

        /** The longest time between two sends, from an event to its horizon, outside of the known gaps. */
        static Span longest(List<Probe> probes, long sinceUs, long untilUs, List<Span> away) {
            Span longest = new Span(sinceUs, sinceUs);
            if (untilUs <= sinceUs) {
                return longest;
            }
            List<Span> gaps = Span.merged(away);
            List<Span> periods = periods(probes, sinceUs, untilUs);
            periods.sort(Comparator.comparingLong(Span::lengthUs).reversed());
            for (Span period : periods) {
                if (period.lengthUs() <= longest.lengthUs()) {
                    break; // The remaining part of this period cannot contain a longer gap.
                }
                for (Span left : period.without(gaps)) {
                    if (left.lengthUs() > longest.lengthUs()) {
                        longest = left;
                    }
                }
            }
            return longest;
        }

        private static List<Span> periods(List<Probe> probes, long sinceUs, long untilUs) {
            List<Span> periods = new ArrayList<>();
            long beforeUs = sinceUs;
            for (Probe probe : probes) {
                if (probe.startUs() > beforeUs && probe.startUs() < untilUs) {
                    periods.add(new Span(beforeUs, probe.startUs()));
                    beforeUs = probe.startUs();
                }
            }
            periods.add(new Span(beforeUs, untilUs));
            return periods;
        }
    }
}
