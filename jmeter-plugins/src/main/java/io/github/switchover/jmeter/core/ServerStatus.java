package io.github.switchover.jmeter.core;

import java.util.Locale;

/** What HAProxy says of a server, in its column {@code status}. */
public final class ServerStatus {

    private ServerStatus() {}

    /** A server that gets requests: {@code UP}, on its way down as {@code UP 1/3}, or never checked. */
    public static boolean isUp(String status) {
        String word = status.toUpperCase(Locale.ROOT);
        return word.startsWith("UP") || word.startsWith("NO CHECK");
    }
}
