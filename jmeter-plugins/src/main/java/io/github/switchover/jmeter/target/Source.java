package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.PublicText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kinds of telemetry sources. The text of a source contains no secrets, so it can be printed. */
public sealed interface Source {

    /** {@code unix:/run/haproxy/admin.sock} */
    record UnixSocket(String path) implements Source {
        @Override
        public String toString() {
            return "unix:" + path;
        }
    }

    /** {@code tcp://lb1:9999} */
    record TcpSocket(String host, int port) implements Source {
        @Override
        public String toString() {
            return "tcp://" + host + ":" + port;
        }
    }

    /** {@code http://lb1:8404/stats;csv}. User, password and query values are never printed. */
    record HttpPage(String url) implements Source {
        @Override
        public String toString() {
            return PublicText.url(url);
        }
    }

    /** A command that runs without a shell. Its output is the answer; its arguments are never printed. */
    record Command(List<String> arguments, List<String> variables) implements Source {

        public Command(List<String> arguments) {
            this(arguments, List.of());
        }

        @Override
        public String toString() {
            return PublicText.command(arguments);
        }
    }

    /** {@code fifo:/path}: Keepalived's vrrp_notify_fifo. */
    record Fifo(String path) implements Source {
        @Override
        public String toString() {
            return "fifo:" + path;
        }
    }

    /** Returns the source that a text names; null without a source, or for an address without a host or port. */
    static @Nullable Source of(String text) {
        if (text.startsWith("unix:")) {
            return new UnixSocket(text.substring(5));
        }
        if (text.startsWith("fifo:")) {
            return new Fifo(text.substring(5));
        }
        if (text.startsWith("tcp://")) {
            UrlParts parts = UrlParts.of(text);
            return parts.host().isEmpty() || parts.port() <= 0 ? null : new TcpSocket(parts.host(), parts.port());
        }
        if (text.startsWith("http://") || text.startsWith("https://")) {
            return UrlParts.of(text).host().isEmpty() ? null : new HttpPage(text);
        }
        return null;
    }
}
