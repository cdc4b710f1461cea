package io.github.switchover.jmeter.command;

/** What a source that never ends delivers; times on the run's clock, in ns. */
public sealed interface LineEvent {

    /** One line without its newline, and when it was read. */
    record Read(String text, long arrivedNs) implements LineEvent {}

    record Opened(long atNs) implements LineEvent {}

    record Closed(long atNs, String reason) implements LineEvent {}
}
