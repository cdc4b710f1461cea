package io.github.switchover.jmeter.view.live;

/** One event of the journal; {@code node} may be empty. */
public record RunEvent(long atUs, String kind, String node, String text) {}
