package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The owners of the virtual address over time: the changes, by VRRP instance and node, in order of time. */
public record Ownership(Map<String, Map<String, List<Change>>> changes) {

    private static final String MASTER = "MASTER";

    /** One line of an ownership source. {@code lost}: the ownership is unknown from this line on. */
    public record Change(long atUs, String state, @Nullable Boolean holds, boolean lost) {

        private static Change of(Point point) {
            String state = point.text("state").toUpperCase(Locale.ROOT);
            if (point.fields().get("holds_vip") instanceof FieldValue.Flag flag) {
                return new Change(point.timeUs(), state, flag.value(), false);
            }
            Boolean holds = state.isEmpty() ? null : state.equals(MASTER);
            return new Change(point.timeUs(), state, holds, state.isEmpty());
        }

        public boolean isOwner() {
            return Boolean.TRUE.equals(holds);
        }

        /** True if the line shows whether the node owns the address, or that this is unknown from now on. */
        public boolean isAboutOwnership() {
            return holds != null || lost;
        }

        /** True if the node became master, or got the address. */
        boolean takesAddress() {
            return state.equals(MASTER) || isOwner();
        }
    }

    /**
     * Reads the ownership from points. If a node has a source of the address, only that source shows ownership: a
     * killed Keepalived reports nothing, and keeps the address.
     *
     * <p>After a line without a state and without an owner, the ownership of its node is unknown.
     */
    public static Ownership of(Iterable<Point> points) {
        Map<String, Map<String, List<Change>>> changes = new LinkedHashMap<>();
        Set<String> seesAddress = new HashSet<>();
        for (Point point : points) {
            String node = point.tag("node");
            if (point.measurement().equals(Measurements.VRRP) && !node.isEmpty()) {
                Change change = Change.of(point);
                changes.computeIfAbsent(point.tag("instance"), instance -> new LinkedHashMap<>())
                        .computeIfAbsent(node, name -> new ArrayList<>())
                        .add(change);
                if (change.state.isEmpty() && change.holds != null) {
                    seesAddress.add(node);
                }
            }
        }
        changes.values()
                .forEach(byNode -> byNode.replaceAll((node, lines) -> ranked(lines, seesAddress.contains(node))));
        return new Ownership(changes);
    }

    private static List<Change> ranked(List<Change> lines, boolean seesAddress) {
        return lines.stream()
                .sorted(Comparator.comparingLong(Change::atUs))
                .map(change -> seesAddress && !change.state.isEmpty()
                        ? new Change(change.atUs, change.state, null, change.lost)
                        : change)
                .toList();
    }

    private Stream<List<Change>> of(String node) {
        return changes.values().stream().map(byNode -> byNode.getOrDefault(node, List.of()));
    }

    /** The balancers with at least one line that shows ownership. */
    public Set<String> nodes() {
        Set<String> nodes = new TreeSet<>();
        changes.values().forEach(byNode -> nodes.addAll(byNode.keySet()));
        nodes.removeIf(node -> of(node).flatMap(List::stream).noneMatch(change -> change.holds != null));
        return nodes;
    }

    /** True if a node other than {@code master} took an address in that period. */
    boolean movedFrom(@Nullable String master, Span within) {
        return nodes().stream()
                .filter(node -> !node.equals(master))
                .flatMap(node -> of(node))
                .flatMap(List::stream)
                .anyMatch(change -> within.contains(change.atUs) && change.takesAddress());
    }

    /** True if the node held an address at that time, according to its last line before. */
    public boolean holdsAt(String node, long atUs) {
        return of(node).anyMatch(lines -> lines.stream()
                .filter(change -> change.isAboutOwnership() && change.atUs <= atUs)
                .reduce((earlier, later) -> later)
                .map(Change::isOwner)
                .orElse(false));
    }
}
