package io.github.switchover.jmeter.telemetry;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * One line of {@code show stat}.
 *
 * @param server HAProxy's svname, {@code FRONTEND} and {@code BACKEND} included
 * @param type frontend, backend, server or listener
 * @param numbers by HAProxy's own names, in their order
 */
public record StatRow(String proxy, String server, String type, String status, Map<String, Long> numbers) {

    public StatRow {
        numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
    }

    /** A server that gets requests: {@code UP}, on its way down as {@code UP 1/3}, or never checked. */
    boolean isUp() {
        String word = status.toUpperCase(Locale.ROOT);
        return word.startsWith("UP") || word.startsWith("NO CHECK");
    }

    /** What tells a row from others of the same table. */
    record Key(String proxy, String server, String type) {}

    Key key() {
        return new Key(proxy, server, type);
    }
}
