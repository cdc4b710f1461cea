package io.github.switchover.jmeter.analysis;

/**
 * A series of impaired probes, in the order in which they were sent, without a good one between them.
 *
 * @param fromUs the last good answer before it
 * @param toUs the first good answer to a probe sent after it; where there is none, the horizon
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
}
