package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException.TargetException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
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
     * The origin of a target.
     *
     * @param file null if the target comes from no file
     * @param lab the directory of the lab that wrote the file, whose faults need no arming; null: no lab
     */
    public record TargetOrigin(Path file, Path lab) {
        static final TargetOrigin UNKNOWN = new TargetOrigin(null, null);
    }

    public Target {
        nodes = List.copyOf(nodes);
        faults = Collections.unmodifiableMap(new LinkedHashMap<>(faults));
    }

    /** A target without a file: without nodes and faults. Nothing is probed at an empty URL. */
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

    /**
     * A lock on the nodes themselves, for users on other machines.
     *
     * @param claim takes it, before a fault
     * @param release gives it back
     * @param variables environment variables that both get in addition to the usual ones
     */
    public record NodeClaim(List<String> claim, List<String> release, List<String> variables) {

        public NodeClaim {
            claim = List.copyOf(claim);
            release = List.copyOf(release);
            variables = List.copyOf(variables);
        }

        /** Without the arguments, which may hold credentials. */
        @Override
        public String toString() {
            return "NodeClaim[]";
        }
    }

    /** The database for points; one of bucket and db is set, values missing from the file are null. */
    public record InfluxSettings(
            String url, String org, String bucket, String db, String token, String user, String password) {

        /** Without the credentials. */
        @Override
        public String toString() {
            return "InfluxSettings[" + PublicText.url(url) + "]";
        }
    }
}
