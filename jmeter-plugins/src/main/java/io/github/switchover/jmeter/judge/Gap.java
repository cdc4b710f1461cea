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
 * @param earlyLeftUs by how much it may have begun later
 * @param earlyRightUs by how much it may have ended earlier
 * @param closed whether a good answer followed before the horizon
 */
public record Gap(Span away, Span sent, long earlyLeftUs, long earlyRightUs, long failed, long late, boolean closed) {

    public long durationUs() {
        return away.lengthUs();
    }

    /** Its duration in microseconds; without an end where nothing ended it. */
    Interval length() {
        long lowUs = Math.max(0, durationUs() - earlyLeftUs - earlyRightUs);
        return new Interval(lowUs, closed ? (Double) (double) durationUs() : null);
    }

    boolean coversTheTimeOf(Gap earlier) {
        return away.equals(earlier.away) && closed == earlier.closed;
    }

    /** Both, which no answer parts. The end is as uncertain as its later series leaves it. */
    Gap joinedTo(Gap earlier) {
        return new Gap(
                away,
                new Span(earlier.sent.fromUs(), sent.toUs()),
                Math.min(earlier.earlyLeftUs, earlyLeftUs),
                earlyRightUs,
                earlier.failed + failed,
                earlier.late + late,
                closed);
    }
}
