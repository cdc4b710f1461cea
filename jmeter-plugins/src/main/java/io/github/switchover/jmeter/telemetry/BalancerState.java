package io.github.switchover.jmeter.telemetry;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The state of a balancer in one answer; servers are named {@code proxy/server}. {@code atUs} 0: now.
 *
 * <p>{@code accepted}: the connections since the start of the process, if the answer does not identify the process.
 */
public record BalancerState(
        long atUs,
        String generation,
        Map<String, String> frontends,
        Map<String, String> servers,
        Map<String, Long> weights,
        long accepted) {

    /** The statuses of closed frontends. */
    private static final Set<String> CLOSED = Set.of("STOP", "PAUSED", "DOWN");

    public Set<String> serversUp() {
        Set<String> up = new TreeSet<>(servers.keySet());
        up.removeIf(name -> !isUp(servers.getOrDefault(name, "")));
        return up;
    }

    public Set<String> frontendsOpen() {
        Set<String> open = new TreeSet<>(frontends.keySet());
        open.removeIf(name -> !isFrontendOpen(frontends.getOrDefault(name, "")));
        return open;
    }

    /** True for a server that gets requests: {@code UP}, {@code UP 1/3} (going down), or without checks. */
    public static boolean isUp(String status) {
        String word = status.toUpperCase(Locale.ROOT);
        return word.startsWith("UP") || word.startsWith("NO CHECK");
    }

    /** True for a frontend that accepts connections. HAProxy's exporter writes DOWN for a closed frontend. */
    public static boolean isFrontendOpen(String status) {
        return !CLOSED.contains(status.toUpperCase(Locale.ROOT));
    }
}
