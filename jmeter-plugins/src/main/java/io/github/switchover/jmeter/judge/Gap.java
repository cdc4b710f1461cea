package io.github.switchover.jmeter.judge;

/**
 * A time without a good answer, and the impaired probes in it.
 *
 * <p>They are a series in the order in which they were sent; or several, where all that was sent between them was
 * answered only after the gap had ended.
 *
 * @param fromUs the last good answer before it
 * @param toUs the first good answer to any probe sent after it; where there is none, the horizon
 * @param firstUs when its first impaired probe was sent
 * @param lastUs when its last impaired probe was sent
 * @param closed whether a good answer followed before the horizon
 */
public record Gap(
        long fromUs,
        long toUs,
        long firstUs,
        long lastUs,
        long earlyLeftUs,
        long earlyRightUs,
        long failed,
        long late,
        boolean closed) {

    public long durationUs() {
        return toUs - fromUs;
    }

    boolean coversTheTimeOf(Gap earlier) {
        return fromUs == earlier.fromUs && toUs == earlier.toUs && closed == earlier.closed;
    }

    /** Both, which no answer parts. The end is as uncertain as its later series leaves it. */
    Gap joinedTo(Gap earlier) {
        return new Gap(
                fromUs,
                toUs,
                earlier.firstUs,
                lastUs,
                Math.min(earlier.earlyLeftUs, earlyLeftUs),
                earlyRightUs,
                earlier.failed + failed,
                earlier.late + late,
                closed);
    }
}
