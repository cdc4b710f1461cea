package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The contents of a target file. */
public record Target(
        Endpoint endpoint,
        IdentitySettings identity,
        List<Node> nodes,
        Map<String, FaultRecipe> faults,
        @Nullable InfluxSettings influx,
        @Nullable NodeClaim claim,
        TargetOrigin origin) {

    /** The file of a target, and the directory of the lab that wrote the file, whose faults need no arming. */
    public record TargetOrigin(
            @Nullable Path file, @Nullable Path lab) {
        static final TargetOrigin UNKNOWN = new TargetOrigin(null, null);
    }

    /** Returns a target without a file, nodes and faults. An empty URL is not probed. */
    public static Target at(String url, IdentitySettings identity) {
        return new Target(Endpoint.at(url), identity, List.of(), Map.of(), null, null, TargetOrigin.UNKNOWN);
    }

    /** Returns the directory of the lab that wrote the target file. */
    public @Nullable Path lab() {
        return origin.lab;
    }

    /** Returns the target file. */
    public @Nullable Path source() {
        return origin.file;
    }

    public List<Node> balancers() {
        return nodes.stream().filter(node -> node.role() == Node.Role.BALANCER).toList();
    }

    public Node node(String name) {
        return nodes.stream()
                .filter(node -> node.name().equals(name))
                .findFirst()
                .orElseThrow(
                        () -> new UsageException(origin.file + ": no [[node]] is named " + ReadableText.quoted(name)));
    }

    /** The commands of a lock on the nodes, for users on other machines. */
    public record NodeClaim(List<String> claim, List<String> release, List<String> variables) {

        /** Omits the arguments, which may contain credentials. */
        @Override
        public String toString() {
            return "NodeClaim[]";
        }
    }

    /** The database for points. Either bucket or db is set; values missing from the file are null. */
    public record InfluxSettings(
            String url,
            @Nullable String org,
            @Nullable String bucket,
            @Nullable String db,
            @Nullable String token,
            @Nullable String user,
            @Nullable String password) {

        /** Omits the credentials. */
        @Override
        public String toString() {
            return "InfluxSettings[" + PublicText.url(url) + "]";
        }
    }
}
