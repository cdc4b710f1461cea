package io.github.switchover.jmeter.print;

/** A line of the summary: what it is, and how much. */
public record Figure(String name, String value) {}
