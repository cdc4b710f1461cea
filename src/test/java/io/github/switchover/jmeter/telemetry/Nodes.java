package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.http.Endpoints;
import io.github.switchover.jmeter.target.KeepalivedSettings;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import java.util.List;
import java.util.Map;

/** Targets as tests need them. */
public final class Nodes {

    private Nodes() {}

    public static Node balancer(String name) {
        return node(name, null, null, null);
    }

    public static Node at(String name, String host) {
        return node(name, host, null, null);
    }

    public static Node watched(String name, Source haproxy) {
        return node(name, null, haproxy, null);
    }

    static Node node(String name, String host, Source haproxy, Source nginx, Source... vipOwner) {
        return Node.builder(name, Node.Role.BALANCER)
                .host(host)
                .haproxy(haproxy)
                .nginx(nginx)
                .vipOwner(List.of(vipOwner))
                .sharedClock(true)
                .build();
    }

    static Node withInstance(String name, String instance) {
        return Node.builder(name, Node.Role.BALANCER)
                .keepalived(KeepalivedSettings.builder().instance(instance).build())
                .build();
    }

    public static Target target(String url, Node... nodes) {
        return new Target(
                Endpoints.at(url),
                IdentitySettings.DEFAULT,
                List.of(nodes),
                Map.of(),
                null,
                null,
                Target.TargetOrigin.UNKNOWN);
    }
}
