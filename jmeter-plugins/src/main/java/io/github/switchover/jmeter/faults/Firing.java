package io.github.switchover.jmeter.faults;

/**
 * The kill, as an interval in epoch microseconds: it happened between the two.
 *
 * @param confirmedUs when the proof held for the first time; null: it is not known to have happened
 * @param error why that is not known; null if all went well
 */
public record Firing(long fromUs, long toUs, Long confirmedUs, String error) {}
