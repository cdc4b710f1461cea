package io.github.switchover.jmeter.target;

import java.util.List;

/** Sources as people write them in a line: sockets, FIFOs and pages, by how they begin. */
public final class SourceText {

    private static final List<String> ADDRESSES = List.of("tcp://", "http://", "https://");

    private SourceText() {}

    /** Null if it is none, or an address without a host or port. */
    public static Source of(String text) {
        if (text.startsWith("unix:")) {
            return new Source.UnixSocket(text.substring(5));
        }
        if (text.startsWith("fifo:")) {
            return new Source.Fifo(text.substring(5));
        }
        if (text.startsWith("tcp://")) {
            UrlParts parts = UrlParts.of(text);
            return parts.host().isEmpty() || parts.port() <= 0
                    ? null
                    : new Source.TcpSocket(parts.host(), parts.port());
        }
        if (text.startsWith("http://") || text.startsWith("https://")) {
            return UrlParts.of(text).host().isEmpty() ? null : new Source.HttpPage(text);
        }
        return null;
    }

    static boolean isAddress(String text) {
        return ADDRESSES.stream().anyMatch(text::startsWith);
    }
}
