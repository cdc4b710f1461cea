package io.github.switchover.jmeter.command;

/** What a source of lines delivers, or that it began or ended; times on the run's clock, in ns. */
public sealed interface LineEvent {

    /** One line without its newline, and when it was read. */
    record Read(String text, long arrivedNs) implements LineEvent {}

    record Opened(long atNs) implements LineEvent {}

    record Closed(long atNs, String reason) implements LineEvent {}
}
