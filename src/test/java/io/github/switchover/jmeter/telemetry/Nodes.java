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

    public static Node watched(String name, Source haproxy) {
        return node(name, null, haproxy, null);
    }

    static Node node(String name, String host, Source haproxy, Source nginx, Source... vipOwner) {
        return new Node(
                name, Node.Role.BALANCER, host, haproxy, nginx, null, List.of(vipOwner), null, null, null, true, null);
    }

    static Node withInstance(String name, String instance) {
        KeepalivedSettings usual = KeepalivedSettings.DEFAULT;
        KeepalivedSettings settings = new KeepalivedSettings(
                usual.priority(),
                usual.advertIntS(),
                usual.version(),
                usual.preempt(),
                usual.preemptDelayS(),
                usual.downTimerAdverts(),
                usual.unicast(),
                instance,
                null);
        return new Node(name, Node.Role.BALANCER, null, null, null, null, List.of(), null, settings, null, false, null);
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
