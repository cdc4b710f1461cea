package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Span.Interval;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Outage.Gap.Impaired;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The cost of one event (a fault, or its heal).
 *
 * @param duration an upper estimate
 * @param gaps the gaps of the outage
 * @param laterGaps the gaps after a stability window had opened
 * @param losses the outage as derived from the impaired probes
 * @param unseen the longest stretch outside of all gaps in which no probe was sent, between the event and its horizon
 */
public record Outage(Kind kind, AwayTime duration, List<Gap> gaps, List<Gap> laterGaps, Losses losses, Span unseen) {

    /** Gaps that are listed one by one; their count has them all. */
    private static final int LISTED = 200;

    /** The class of the impaired probes of an event. */
    public enum Kind {
        /** No probe was impaired: nothing was longer than the resolution. */
        NONE,
        OUTAGE,
        /**
         * Good responses lie between the impaired responses: no single gap covers half of the time from the first to
         * the last impaired response.
         */
        PARTIAL
    }

    /**
     * The time that the service was away.
     *
     * @param earlyUs by how much the true outage may have been shorter
     * @param censored no stability window opened before the horizon: the duration is a lower bound
     */
    public record AwayTime(long us, long earlyUs, boolean censored) {
        static final AwayTime NONE = new AwayTime(0, 0, false);
    }

    /**
     * The outage as the number of impaired probes gives it.
     *
     * @param derivedMs impaired probes divided by their rate (RFC 6412 section 3.6.1); null: the rate is unknown
     * @param intervalUs between two probes; null: the rate is unknown
     */
    public record Losses(Double derivedMs, Double intervalUs) {}

    public Outage {
        gaps = List.copyOf(gaps);
        laterGaps = List.copyOf(laterGaps);
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

    Double intervalUs() {
        return losses.intervalUs;
    }

    /** A gap up to this long may have come elsewhere, unseen. */
    long detectionLimitUs() {
        return unseen.lengthUs();
    }

    /** The bounds of the outage, in microseconds; without an upper end if the service was not seen to recover. */
    Interval length() {
        return isNone()
                ? new Interval(0, (double) detectionLimitUs())
                : new Interval(durationUs() - earlyUs(), censored() ? null : (Double) (double) durationUs());
    }

    /** When it began; null without an impaired probe. */
    Long fromUs() {
        return gaps.isEmpty() ? null : (Long) gaps.get(0).away().fromUs();
    }

    /** When it ended; null without an impaired probe. */
    Long toUs() {
        return gaps.isEmpty() ? null : (Long) gaps.get(gaps.size() - 1).away().toUs();
    }

    long impaired() {
        return all().mapToLong(gap -> gap.failed() + gap.late()).sum();
    }

    /** A stability window opened, and nothing was away again when the horizon came. */
    boolean recovered() {
        return !censored() && laterGaps.stream().allMatch(Gap::closed);
    }

    /** The shortest time that the service had been away at the horizon; 0 if it had recovered. */
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
                "loss_derived_ms", losses.derivedMs == null ? null : (Double) Numbers.round(losses.derivedMs, 3),
                "impaired", impaired(),
                "interval_ms", losses.intervalUs == null ? null : milliseconds(losses.intervalUs),
                "gaps", listed(gaps),
                "gap_count", gaps.size(),
                "later_gaps", listed(laterGaps),
                "later_gap_count", laterGaps.size());
        return gaps.isEmpty()
                ? tree
                : tree.with("first_bad_us", gaps.get(0).sent().fromUs());
    }

    /** The time from the start of the first gap to the end of the last, later gaps included. */
    private long envelopeUs() {
        return gaps.isEmpty()
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
     * A time without a good answer, and the impaired probes in it.
     *
     * <p>The probes are one series in the order of sending. They are several series if all probes sent between them
     * were answered only after the gap had ended.
     *
     * @param away from the last good answer before it to the first good answer to any probe sent after it; without
     *     such an answer, to the horizon
     * @param sent when its first and its last impaired probe were sent
     * @param impaired the number of impaired probes, and the time since which they are known to be impaired
     * @param earlyLeftUs by how much it may have begun later
     * @param earlyRightUs by how much it may have ended earlier
     * @param closed whether a good answer followed before the horizon
     */
    public record Gap(Span away, Span sent, Impaired impaired, long earlyLeftUs, long earlyRightUs, boolean closed) {

        /** @param knownFromUs when the first of them had failed, or come late */
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

        /** Its duration in microseconds; without an upper end if it did not end. */
        Interval length() {
            long lowUs = Math.max(0, durationUs() - earlyLeftUs - earlyRightUs);
            return new Interval(lowUs, closed ? (Double) (double) durationUs() : null);
        }

        /** None of its requests failed before the next one had begun. */
        boolean mayBeTheCostOfNext(Gap following) {
            return impaired.knownFromUs > following.away.fromUs();
        }

        /** All of its requests were sent before the earlier one had ended. */
        boolean mayBeTheCostOfEarlier(Gap earlier) {
            return sent.toUs() < earlier.away.toUs();
        }

        boolean coversTheTimeOf(Gap earlier) {
            return away.equals(earlier.away) && closed == earlier.closed;
        }

        /** Joins two gaps with no good answer between them. The end is as uncertain as that of the later gap. */
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
