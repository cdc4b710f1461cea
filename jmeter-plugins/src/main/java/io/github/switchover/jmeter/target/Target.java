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
 * @param influx null: none
 * @param lab the directory of the lab that wrote this file, whose faults need no arming; null: no lab
 * @param source the file; null if it was none
 */
public record Target(
        Endpoint endpoint,
        IdentitySettings identity,
        List<Node> nodes,
        Map<String, FaultRecipe> faults,
        InfluxSettings influx,
        Path lab,
        Path source) {

    public Target {
        nodes = List.copyOf(nodes);
        faults = Immutable.copy(faults);
    }

    public List<Node> balancers() {
        return withRole(Node.Role.BALANCER);
    }

    public List<Node> backends() {
        return withRole(Node.Role.BACKEND);
    }

    public Node node(String name) {
        return nodes.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new TargetException(source + ": no [[node]] is named " + ReadableText.quoted(name)));
    }

    private List<Node> withRole(Node.Role role) {
        return nodes.stream().filter(node -> node.role() == role).toList();
    }
}
