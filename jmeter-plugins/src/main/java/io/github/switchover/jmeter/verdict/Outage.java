package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Span.Interval;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.verdict.Outage.Gap.Impaired;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The cost of one event (a fault or its heal), up to its horizon: the next planned event, or the end of the run.
 *
 * <p>{@code laterGaps}: after the first stability window. {@code unseen}: the longest period outside of all gaps in
 * which no probe was sent.
 */
public record Outage(
        Kind kind,
        AwayTime duration,
        List<Gap> gaps,
        List<Gap> laterGaps,
        @Nullable Double rate,
        Span unseen) {

    /** The highest number of listed gaps. {@code gap_count} counts all gaps. */
    private static final int LISTED = 200;

    /** The pattern of the impaired probes of an event. */
    public enum Kind {
        /** No probe was impaired, so any outage was shorter than the detection limit. */
        NONE,
        OUTAGE,
        /** Good responses lie between the impaired responses, and no gap covers half of the time. */
        PARTIAL
    }

    /** The time that the service was away, by how much it may be shorter, and true if it is only a lower bound. */
    public record AwayTime(long us, long earlyUs, boolean censored) {
        static final AwayTime NONE = new AwayTime(0, 0, false);
    }

    boolean isNone() {
        return kind == Kind.NONE;
    }

    long durationUs() {
        return duration.us;
    }

    long earlyUs() {
        return duration.earlyUs;
    }

    boolean censored() {
        return duration.censored;
    }

    /** The time between two probes. */
    @Nullable
    Double intervalUs() {
        return rate == null ? null : Units.US_PER_S / rate;
    }

    /** The number of impaired probes divided by their rate (RFC 6412 section 3.6.1). */
    @Nullable
    Double lossDerivedMs() {
        return rate == null ? null : impaired() * Units.MS_PER_S / rate;
    }

    /** The longest gap that the probes could have missed. */
    long detectionLimitUs() {
        return unseen.lengthUs();
    }

    /** The bounds of the outage in microseconds, without an upper bound if the probes saw no recovery. */
    Interval length() {
        return isNone()
                ? new Interval(0, (double) detectionLimitUs())
                : new Interval(durationUs() - earlyUs(), censored() ? null : (double) durationUs());
    }

    /** The start of the outage. */
    @Nullable
    Long fromUs() {
        return gaps.isEmpty() ? null : gaps.get(0).away().fromUs();
    }

    /** The end of the outage. */
    @Nullable
    Long toUs() {
        return gaps.isEmpty() ? null : gaps.get(gaps.size() - 1).away().toUs();
    }

    long impaired() {
        return all().mapToLong(gap -> gap.failed() + gap.late()).sum();
    }

    /** True if a stability window started, and no later gap was open at the horizon. */
    boolean recovered() {
        return !censored() && laterGaps.stream().allMatch(Gap::closed);
    }

    /** The shortest time that the service had been away at the horizon; 0 if the service had recovered. */
    long awayAtEndUs() {
        List<Interval> still = censored()
                ? List.of(length())
                : laterGaps.stream()
                        .filter(gap -> !gap.closed())
                        .map(Gap::length)
                        .toList();
        return (long) Interval.longestOf(still).low();
    }

    private Stream<Gap> all() {
        return Stream.concat(gaps.stream(), laterGaps.stream());
    }

    Tree tree() {
        Interval length = length();
        Tree tree = Tree.of(
                "kind", kind.name().toLowerCase(Locale.ROOT),
                "low_ms", milliseconds(length.low()),
                "high_ms", length.high() == null ? null : milliseconds(length.high()),
                "detection_limit_ms", milliseconds((double) detectionLimitUs()),
                "censored", censored(),
                "recovered", recovered(),
                "from_us", fromUs(),
                "to_us", toUs(),
                "envelope_ms", milliseconds((double) envelopeUs()),
                "sum_of_gaps_ms",
                        milliseconds((double) all().mapToLong(Gap::durationUs).sum()),
                "loss_derived_ms", lossDerivedMs() == null ? null : Numbers.round(lossDerivedMs(), 3),
                "impaired", impaired(),
                "interval_ms", intervalUs() == null ? null : milliseconds(intervalUs()),
                "gaps", listed(gaps),
                "gap_count", gaps.size(),
                "later_gaps", listed(laterGaps),
                "later_gap_count", laterGaps.size());
        return gaps.isEmpty()
                ? tree
                : tree.with("first_bad_us", gaps.get(0).sent().fromUs());
    }

    /** The time from the start of the first gap to the end of the last gap, including later gaps. */
    private long envelopeUs() {
        return fromUs() == null
                ? 0
                : all().mapToLong(gap -> gap.away().toUs()).max().orElseThrow() - fromUs();
    }

    private static List<Tree> listed(List<Gap> gaps) {
        return gaps.stream()
                .limit(LISTED)
                .map(gap -> Tree.of(
                        "from_us", gap.away().fromUs(),
                        "to_us", gap.away().toUs(),
                        "duration_ms", milliseconds((double) gap.durationUs()),
                        "failed", gap.failed(),
                        "late", gap.late()))
                .toList();
    }

    private static Double milliseconds(double microseconds) {
        return Numbers.round(microseconds / Units.US_PER_MS, 3);
    }

    /**
     * A time without a good answer, and its impaired probes.
     *
     * <p>If probes sent between them were answered only after the end of the gap, they form several series.
     *
     * @param away from the last good answer before the gap to the first good answer to any probe sent after it; without
     *     such an answer, to the horizon
     * @param sent the send times of the first and the last impaired probe
     * @param earlyLeftUs by how much the gap may have begun later
     * @param earlyRightUs by how much the gap may have ended earlier
     * @param closed true if a good answer followed before the horizon
     */
    public record Gap(Span away, Span sent, Impaired impaired, long earlyLeftUs, long earlyRightUs, boolean closed) {

        /** @param knownFromUs the time of the first failure or late answer */
        record Impaired(long failed, long late, long knownFromUs) {

            Impaired with(Impaired other) {
                return new Impaired(failed + other.failed, late + other.late, Math.min(knownFromUs, other.knownFromUs));
            }
        }

        public long failed() {
            return impaired.failed;
        }

        public long late() {
            return impaired.late;
        }

        public long durationUs() {
            return away.lengthUs();
        }

        /** The duration in microseconds, without an upper bound if the gap did not end. */
        Interval length() {
            long lowUs = Math.max(0, durationUs() - earlyLeftUs - earlyRightUs);
            return new Interval(lowUs, closed ? (double) durationUs() : null);
        }

        /** True if no probe of this gap failed before the next gap began. */
        boolean mayBeTheCostOfNext(Gap following) {
            return impaired.knownFromUs > following.away.fromUs();
        }

        /** True if all impaired probes of this gap were sent before the earlier gap ended. */
        boolean mayBeTheCostOfEarlier(Gap earlier) {
            return sent.toUs() < earlier.away.toUs();
        }

        boolean coversTheTimeOf(Gap earlier) {
            return away.equals(earlier.away) && closed == earlier.closed;
        }

        /** Joins two gaps with no good answer between them. The uncertainty of the end is that of the later gap. */
        Gap joinedTo(Gap earlier) {
            return new Gap(
                    away,
                    new Span(earlier.sent.fromUs(), sent.toUs()),
                    impaired.with(earlier.impaired),
                    Math.min(earlier.earlyLeftUs, earlyLeftUs),
                    earlyRightUs,
                    closed);
        }
    }
}
