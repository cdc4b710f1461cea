package io.github.switchover.jmeter.core;

import java.util.Locale;
import java.util.Set;

/** What HAProxy says of a server or a frontend, in its column {@code status}. */
public final class ServerStatus {

    private static final Set<String> CLOSED = Set.of("STOP", "PAUSED", "DOWN");

    private ServerStatus() {}

    /** A server that gets requests: {@code UP}, on its way down as {@code UP 1/3}, or never checked. */
    public static boolean isUp(String status) {
        String word = status.toUpperCase(Locale.ROOT);
        return word.startsWith("UP") || word.startsWith("NO CHECK");
    }

    /** A frontend that takes connections: none that is disabled, or stopped by a reload. The exporter says DOWN. */
    public static boolean isFrontendOpen(String status) {
        return !CLOSED.contains(status.toUpperCase(Locale.ROOT));
    }
}
