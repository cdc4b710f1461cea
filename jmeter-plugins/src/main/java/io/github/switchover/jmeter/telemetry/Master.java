package io.github.switchover.jmeter.telemetry;

/**
 * The balancer that answers for the target's address.
 *
 * @param name null where no master can be named
 * @param source header, neighbour, source or counters; or empty
 * @param reason how that is known, or why it is not
 */
public record Master(String name, String source, String reason) {}
