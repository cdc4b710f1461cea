package io.github.switchover.jmeter.telemetry;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The state of a balancer in one answer.
 *
 * @param atUs the time by the clock of the run; 0: now
 * @param generation identifies the process that answered
 * @param frontends status by name
 * @param servers status by {@code proxy/server}
 * @param weights by server, for servers that have a weight
 * @param accepted connections since the start of the process, if the answer does not identify the process
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
        up.removeIf(name -> !ServerStatus.isUp(servers.getOrDefault(name, "")));
        return up;
    }

    public Set<String> frontendsOpen() {
        Set<String> open = new TreeSet<>(frontends.keySet());
        open.removeIf(name -> !ServerStatus.isFrontendOpen(frontends.getOrDefault(name, "")));
        return open;
    }

    /** The status of a server or a frontend, from HAProxy's column {@code status}. */
    public static final class ServerStatus {

        private static final Set<String> CLOSED = Set.of("STOP", "PAUSED", "DOWN");

        private ServerStatus() {}

        /** True for a server that gets requests: {@code UP}, {@code UP 1/3} (going down), or without checks. */
        public static boolean isUp(String status) {
            String word = status.toUpperCase(Locale.ROOT);
            return word.startsWith("UP") || word.startsWith("NO CHECK");
        }

        /**
         * True for a frontend that accepts connections: it is neither disabled nor stopped by a reload. HAProxy's
         * exporter writes DOWN for a closed frontend.
         */
        public static boolean isFrontendOpen(String status) {
            return !CLOSED.contains(status.toUpperCase(Locale.ROOT));
        }
    }
}
