package io.github.switchover.jmeter.command;

/** What a source that never ends delivers; times on the run's clock, in ns. */
public sealed interface Heard {

    /** One line without its newline, and when it was read. */
    record Line(String text, long arrivedNs) implements Heard {}

    record Opened(long atNs) implements Heard {}

    record Closed(long atNs, String reason) implements Heard {}
}
