package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.TargetException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The whole target file.
 *
 * @param faults by name
 * @param influx null: none
 * @param claim null: the nodes have no lock of their own
 */
public record Target(
        Endpoint endpoint,
        IdentitySettings identity,
        List<Node> nodes,
        Map<String, FaultRecipe> faults,
        InfluxSettings influx,
        NodeClaim claim,
        TargetOrigin origin) {

    /**
     * Where it comes from.
     *
     * @param file null if it was none
     * @param lab the directory of the lab that wrote the file, whose faults need no arming; null: no lab
     */
    public record TargetOrigin(Path file, Path lab) {
        static final TargetOrigin UNKNOWN = new TargetOrigin(null, null);
    }

    public Target {
        nodes = List.copyOf(nodes);
        faults = Immutable.copy(faults);
    }

    /** One of which no file tells: without nodes and faults. Nothing is probed at an empty URL. */
    public static Target at(String url, IdentitySettings identity) {
        return new Target(Endpoint.at(url), identity, List.of(), Map.of(), null, null, TargetOrigin.UNKNOWN);
    }

    /** The directory of the lab that wrote its file; null: no lab. */
    public Path lab() {
        return origin.lab;
    }

    /** Its file; null if it was none. */
    public Path source() {
        return origin.file;
    }

    public List<Node> balancers() {
        return withRole(Node.Role.BALANCER);
    }

    public Node node(String name) {
        return nodes.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> new TargetException(origin.file + ": no [[node]] is named " + ReadableText.quoted(name)));
    }

    private List<Node> withRole(Node.Role role) {
        return nodes.stream().filter(node -> node.role() == role).toList();
    }
}
