package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Who held the virtual address when, from the ownership sources of the balancers ({@code switchover_vrrp} points).
 *
 * @param changes what they told, by VRRP instance and node, in order of time
 */
public record Ownership(Map<String, Map<String, List<OwnershipChange>>> changes) {

    /**
     * An address that was seen outranks a state that was said: a killed Keepalived says nothing, and keeps it.
     *
     * <p>So of a node that has both kinds of source, only the lines about the address tell ownership. A line that has
     * neither a state nor an owner ends what was known of its node.
     */
    public static Ownership of(Iterable<Point> points) {
        Map<String, Map<String, List<OwnershipChange>>> found = new LinkedHashMap<>();
        Set<String> seeing = new HashSet<>();
        for (Point point : points) {
            String node = point.tag("node");
            if (!point.measurement().equals(Measurements.VRRP) || node.isEmpty()) {
                continue;
            }
            OwnershipChange change = OwnershipChange.of(point);
            found.computeIfAbsent(point.tag("instance"), instance -> new LinkedHashMap<>())
                    .computeIfAbsent(node, name -> new ArrayList<>())
                    .add(change);
            if (change.seesAddress()) {
                seeing.add(node);
            }
        }
        found.values().forEach(byNode -> byNode.replaceAll((node, told) -> ranked(told, seeing.contains(node))));
        return new Ownership(found);
    }

    /** The balancers from which at least one line came that tells ownership. */
    public Set<String> nodes() {
        Set<String> nodes = new TreeSet<>();
        changes.values()
                .forEach(byNode -> byNode.forEach((node, told) -> {
                    if (told.stream().anyMatch(change -> change.holds() != null)) {
                        nodes.add(node);
                    }
                }));
        return nodes;
    }

    /** Every change on a node, over all its instances, in order of time. */
    List<OwnershipChange> of(String node) {
        return changes.values().stream()
                .flatMap(byNode -> byNode.getOrDefault(node, List.of()).stream())
                .sorted(Comparator.comparingLong(OwnershipChange::atUs))
                .toList();
    }

    /** By node other than the master: when it first became an owner within a stretch. */
    Map<String, Long> firstOwnedUs(String master, Span within) {
        Map<String, Long> first = new TreeMap<>();
        for (String node : nodes()) {
            of(node).stream()
                    .filter(change -> !node.equals(master) && within.contains(change.atUs()) && change.takesAddress())
                    .mapToLong(OwnershipChange::atUs)
                    .min()
                    .ifPresent(atUs -> first.put(node, atUs));
        }
        return first;
    }

    /** Whether the node held any of its addresses then, as far as it was last told and still known. */
    public boolean holdsAt(String node, long atUs) {
        return changes.values().stream()
                .map(byNode -> byNode.getOrDefault(node, List.of()))
                .anyMatch(told -> told.stream()
                        .filter(change -> change.tells() && change.atUs() <= atUs)
                        .reduce((earlier, later) -> later)
                        .map(change -> Boolean.TRUE.equals(change.holds()))
                        .orElse(false));
    }

    private static List<OwnershipChange> ranked(List<OwnershipChange> told, boolean seesAddress) {
        return told.stream()
                .sorted(Comparator.comparingLong(OwnershipChange::atUs))
                .map(change -> seesAddress && !change.state().isEmpty() ? change.withoutOwner() : change)
                .toList();
    }
}
