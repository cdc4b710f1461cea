package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.AddressText;
import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Resolver;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot;
import io.github.switchover.jmeter.telemetry.NodeAnswers;
import io.github.switchover.jmeter.telemetry.StatRow;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The nodes behind HAProxy's servers, found by address; Python's {@code find_aliases} has the same rule. */
final class ServerNames {

    private static final long RESOLVE_NS = 2 * Units.NS_PER_S;

    private ServerNames() {}

    /** Node names by server name and by address, beside those of the target file. A lab names its servers as its nodes. */
    static Map<String, String> of(Target target) {
        if (target.lab() != null) {
            return target.identity().aliases();
        }
        List<StatRow> rows = DaemonThread.mapAll("switchover names", target.balancers(), NodeAnswers::haproxy).stream()
                .filter(Objects::nonNull)
                .map(HaproxySnapshot::rows)
                .flatMap(List::stream)
                .toList();
        Map<String, String> all = new LinkedHashMap<>(aliases(target, rows));
        all.putAll(target.identity().aliases());
        return all;
    }

    /**
     * A server belongs to the node that {@code [identity] aliases} names for its address, otherwise to the only node with
     * that host. A name that leads to two nodes, or that is the name of a node, is left out.
     */
    static Map<String, String> aliases(Target target, List<StatRow> rows) {
        Map<InetAddress, Set<String>> hosts = new HashMap<>();
        for (Node node : target.nodes()) {
            if (node.role() == Node.Role.BACKEND && node.host() != null) {
                resolve(node.host())
                        .forEach(address -> hosts.computeIfAbsent(address, any -> new TreeSet<>())
                                .add(node.name()));
            }
        }
        Map<String, Set<String>> found = new LinkedHashMap<>();
        for (StatRow row : rows) {
            String host = row.address().replaceFirst(":[^:]*$", "").replaceAll("[\\[\\]]", "");
            InetAddress address = AddressText.parse(host);
            String known = target.identity().aliases().get(row.address());
            Set<String> nodes =
                    known != null ? Set.of(known) : address == null ? Set.of() : hosts.getOrDefault(address, Set.of());
            for (String text : nodes.isEmpty() ? List.<String>of() : List.of(row.server(), row.address())) {
                found.computeIfAbsent(text, any -> new TreeSet<>()).addAll(nodes);
            }
        }
        Set<String> names = target.nodes().stream().map(Node::name).collect(Collectors.toSet());
        Map<String, String> plain = new LinkedHashMap<>();
        found.forEach((text, nodes) -> {
            if (nodes.size() == 1 && !names.contains(text)) {
                plain.put(text, nodes.iterator().next());
            }
        });
        return plain;
    }

    private static List<InetAddress> resolve(String host) {
        try {
            return Resolver.resolve(host, RESOLVE_NS);
        } catch (UnknownHostException error) {
            return List.of();
        }
    }
}
