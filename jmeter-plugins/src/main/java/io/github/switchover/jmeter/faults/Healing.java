package io.github.switchover.jmeter.faults;

/**
 * The heal, as an interval in epoch microseconds.
 *
 * @param healedUs when its proof held; the end of the command where there is no proof; null: not healed, or nothing was
 *     fired
 * @param error the loudest line of the run; null if all went well
 */
public record Healing(long fromUs, long toUs, Long healedUs, String error) {}
