package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Span;

/**
 * A time without a good answer, and the impaired probes in it.
 *
 * <p>They are a series in the order in which they were sent; or several, where all that was sent between them was
 * answered only after the gap had ended.
 *
 * @param away from the last good answer before it to the first good answer to any probe sent after it; where there is
 *     none, to the horizon
 * @param sent when its first and its last impaired probe were sent
 * @param impaired how many of them there were, and since when that is known
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

    /** Its duration in microseconds; without an end where nothing ended it. */
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

    /** Both, which no answer parts. The end is as uncertain as its later series leaves it. */
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
