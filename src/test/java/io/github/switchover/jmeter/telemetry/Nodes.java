package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.http.Endpoints;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.HaproxyReader.HaproxyTable;
import java.nio.charset.StandardCharsets;
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

    public static Node backend(String name, String host) {
        Node.NodeSources sources = new Node.NodeSources(null, null, List.of(), null, true);
        return new Node(name, Node.Role.BACKEND, host, null, sources, null, null);
    }

    /** One that says by this command what it is called. */
    public static Node identified(String name, List<String> command) {
        Node.NodeSources sources = new Node.NodeSources(null, null, List.of(), null, true);
        Source.Command asked = new Source.Command(command, List.of());
        return new Node(name, Node.Role.BALANCER, null, asked, sources, null, null);
    }

    /** What HAProxy's socket answers, read. */
    public static HaproxySnapshot haproxySaying(String answer) {
        return HaproxyTable.parse(answer.getBytes(StandardCharsets.UTF_8), false);
    }

    public static Node watched(String name, Source haproxy) {
        return node(name, null, haproxy, null);
    }

    static Node node(String name, String host, Source haproxy, Source nginx, Source... vipOwner) {
        Node.NodeSources sources = new Node.NodeSources(haproxy, nginx, List.of(vipOwner), null, true);
        return new Node(name, Node.Role.BALANCER, host, null, sources, null, null);
    }

    /** One on another machine, whose clock is told by a command. */
    static Node far(String name, Source.Command monitor, Source.Command clock) {
        Node.NodeSources sources = new Node.NodeSources(null, null, List.of(monitor), clock, false);
        return new Node(name, Node.Role.BALANCER, null, null, sources, null, null);
    }

    static Node withInstance(String name, String instance) {
        Node.NodeSources sources = new Node.NodeSources(null, null, List.of(), null, false);
        return new Node(name, Node.Role.BALANCER, null, null, sources, null, Tree.of("instance", instance));
    }

    public static Target target(String url, Node... nodes) {
        return target(url, Map.of(), nodes);
    }

    public static Target target(String url, Map<String, FaultRecipe> faults, Node... nodes) {
        return new Target(
                Endpoints.at(url),
                IdentitySettings.DEFAULT,
                List.of(nodes),
                faults,
                null,
                null,
                new Target.TargetOrigin(null, null));
    }
}
