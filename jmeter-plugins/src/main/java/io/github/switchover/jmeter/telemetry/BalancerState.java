package io.github.switchover.jmeter.telemetry;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The state of a balancer in one answer.
 *
 * @param atUs the time by the clock of the run; 0: now
 * @param generation the process that answered; another generation is another process
 * @param frontends status by name
 * @param servers status by {@code proxy/server}
 * @param weights of the servers that have one
 * @param accepted connections since its start, if no process is named
 */
public record BalancerState(
        long atUs,
        String generation,
        Map<String, String> frontends,
        Map<String, String> servers,
        Map<String, Long> weights,
        long accepted) {

    public Set<String> serversUp() {
        Set<String> up = new TreeSet<>(servers.keySet());
        up.removeIf(name -> !ServerStatus.isUp(servers.get(name)));
        return up;
    }

    public Set<String> frontendsOpen() {
        Set<String> open = new TreeSet<>(frontends.keySet());
        open.removeIf(name -> !ServerStatus.isFrontendOpen(frontends.get(name)));
        return open;
    }

    /** The status of a server or a frontend, from HAProxy's column {@code status}. */
    public static final class ServerStatus {

        private static final Set<String> CLOSED = Set.of("STOP", "PAUSED", "DOWN");

        private ServerStatus() {}

        /** A server that gets requests: {@code UP}, on its way down as {@code UP 1/3}, or never checked. */
        public static boolean isUp(String status) {
            String word = status.toUpperCase(Locale.ROOT);
            return word.startsWith("UP") || word.startsWith("NO CHECK");
        }

        /**
         * True for a frontend that takes connections: neither disabled, nor stopped by a reload. The exporter writes
         * DOWN.
         */
        public static boolean isFrontendOpen(String status) {
            return !CLOSED.contains(status.toUpperCase(Locale.ROOT));
        }
    }
}
