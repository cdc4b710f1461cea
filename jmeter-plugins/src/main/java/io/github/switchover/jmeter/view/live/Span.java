package io.github.switchover.jmeter.view.live;

/** A stretch of time, in epoch microseconds. */
public record Span(long fromUs, long toUs) {}
