package io.github.switchover.jmeter.core;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Which headers say who answered, and what addresses are called. An empty header name is not looked for.
 *
 * @param stickyCookie the cookie that keeps a client at its backend; null: none
 */
public record IdentitySettings(
        String backendHeader,
        String balancerHeader,
        String upstreamTimeHeader,
        String stickyCookie,
        Map<String, String> aliases) {

    public static final IdentitySettings DEFAULT =
            new IdentitySettings("X-Backend", "X-Balancer", "X-Upstream-Time", null, Map.of());

    public IdentitySettings {
        aliases = Collections.unmodifiableMap(new LinkedHashMap<>(aliases));
    }
}
