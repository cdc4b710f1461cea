package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.ServerStatus;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What one look at a balancer showed.
 *
 * @param atUs when, by the clock of the run; 0: now
 * @param generation which process answered; another generation is another process
 * @param frontends status by name
 * @param servers status by {@code proxy/server}
 * @param weights of those servers that have one
 * @param accepted connections since its start, where no process is named
 */
public record BalancerState(
        long atUs,
        String generation,
        Map<String, String> frontends,
        Map<String, String> servers,
        Map<String, Long> weights,
        long accepted) {

    /** Those that get requests, in order. */
    public Set<String> serversUp() {
        Set<String> up = new TreeSet<>(servers.keySet());
        up.removeIf(name -> !ServerStatus.isUp(servers.get(name)));
        return up;
    }

    /** Those that take connections, in order. */
    public Set<String> frontendsOpen() {
        Set<String> open = new TreeSet<>(frontends.keySet());
        open.removeIf(name -> !ServerStatus.isFrontendOpen(frontends.get(name)));
        return open;
    }
}
