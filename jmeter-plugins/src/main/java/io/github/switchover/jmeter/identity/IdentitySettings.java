package io.github.switchover.jmeter.identity;

import java.util.Map;

/** Which headers say who answered, and what addresses are called. An empty header name is not looked for. */
public record IdentitySettings(
        String backendHeader, String balancerHeader, String upstreamTimeHeader, Map<String, String> aliases) {

    public static final IdentitySettings DEFAULT =
            new IdentitySettings("X-Backend", "X-Balancer", "X-Upstream-Time", Map.of());

    public IdentitySettings {
        aliases = Map.copyOf(aliases);
    }
}
