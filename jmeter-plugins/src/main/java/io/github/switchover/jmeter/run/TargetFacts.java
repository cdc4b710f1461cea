package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * What the analysis needs to know of a target; secrets stay out by being left out.
 *
 * @param file the target file, from which {@code switchover heal} takes the heal; null: there was none
 */
public record TargetFacts(
        String url,
        String expect,
        boolean dedicated,
        Map<String, String> aliases,
        List<NodeFacts> nodes,
        boolean lab,
        String file) {

    private static final String BALANCER = "balancer";

    /** A node, and which sources the target file names for it. */
    public record NodeFacts(
            String name,
            String role,
            String host,
            boolean haproxy,
            boolean nginx,
            boolean vipOwner,
            boolean accessLog) {

        private static NodeFacts of(Node node) {
            return new NodeFacts(
                    node.name(),
                    node.role().label(),
                    node.host(),
                    node.sources().haproxy() != null,
                    node.sources().nginx() != null,
                    !node.sources().vipOwner().isEmpty(),
                    node.sources().accessLog() != null);
        }

        boolean isBalancer() {
            return BALANCER.equals(role);
        }
    }

    static final TargetFacts UNKNOWN = new TargetFacts(null, null, false, null, null, false, null);

    public TargetFacts {
        aliases = aliases == null ? Map.of() : Map.copyOf(aliases);
        nodes = nodes == null ? List.of() : List.copyOf(nodes);
    }

    /** {@code aliases}: node names by what else a backend is called. */
    public static TargetFacts of(Target target, Map<String, String> aliases) {
        return new TargetFacts(
                PublicText.url(target.endpoint().url()),
                target.endpoint().expect().toString(),
                target.endpoint().dedicated(),
                aliases,
                target.nodes().stream().map(NodeFacts::of).toList(),
                target.lab() != null,
                null);
    }

    /** The same, which says where its file is. */
    public TargetFacts from(Path source) {
        return new TargetFacts(
                url,
                expect,
                dedicated,
                aliases,
                nodes,
                lab,
                source == null ? null : source.toAbsolutePath().toString());
    }

    /** As a history calls it: {@code lab}, or the name of the target file, else the address; empty: not known. */
    public String shownName() {
        if (lab) {
            return "lab";
        }
        String name = file == null ? "" : file.substring(file.lastIndexOf('/') + 1);
        String stem = name.endsWith(".toml") ? name.substring(0, name.length() - ".toml".length()) : name;
        return stem.isEmpty() && url != null ? url : stem;
    }

    public List<String> balancers() {
        return named(NodeFacts::isBalancer);
    }

    /** At least two balancers, and an ownership source was to be on each. */
    public boolean isOwnershipObserved() {
        Set<String> observed = named(NodeFacts::vipOwner).stream().collect(Collectors.toSet());
        return balancers().size() > 1 && observed.containsAll(balancers());
    }

    private List<String> named(Predicate<NodeFacts> wanted) {
        return nodes.stream()
                .filter(wanted)
                .map(NodeFacts::name)
                .filter(name -> name != null)
                .toList();
    }
}
