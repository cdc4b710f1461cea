package io.github.switchover.jmeter.command;

import io.github.switchover.jmeter.core.Units;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a source of lines delivers, or that it began or ended; times on the run's clock, in ns. */
public sealed interface LineEvent {

    /** One line without its newline, and when it was read. */
    record Read(String text, long arrivedNs) implements LineEvent {}

    record Opened(long atNs) implements LineEvent {}

    /** {@code isInOrder}: the command ended without a complaint. */
    record Closed(long atNs, String reason, boolean isInOrder) implements LineEvent {}

    /** Bytes of a line; a longer one is dropped whole. */
    int LIMIT = 65536;

    /** Lines that arrived together: they get times a microsecond apart, in their order. */
    static List<LineEvent> read(List<byte[]> lines, long arrivedNs) {
        List<LineEvent> read = new ArrayList<>();
        lines.forEach(line -> read.add(
                new Read(new String(line, StandardCharsets.UTF_8), arrivedNs + Units.NS_PER_US * read.size())));
        return read;
    }
}
