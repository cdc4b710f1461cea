package io.github.switchover.jmeter.print;

/**
 * A line of the summary.
 *
 * @param name what it is
 * @param value how much
 * @param witness who says so too, or what it means; may be empty
 */
public record Figure(String name, String value, String witness) {}
