package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.verdict.Ownership.Change;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Periods in which two or more balancers held the virtual address, by the times at which their sources reported.
 *
 * <p>Only ownership sources on all balancers can show a split brain: a client follows its neighbour entry, and sees a
 * clean takeover (measured). The jar does not compare clocks, so it can only show that there was none.
 */
public record SplitBrain(List<Span> overlaps, List<Span> handovers) {

    /**
     * The longest overlap that is a handover, not a split brain.
     *
     * <p>A router that becomes master sends its advert at once (RFC 5798 section 6.4.2), and a master of lower priority
     * then gives up the address (section 6.4.3). Routers that overlap for longer do not receive each other's adverts.
     */
    static final long HANDOVER_US = 100_000;

    /** Measures a run; null if a balancer had no source, or if the journal is damaged. */
    static @Nullable SplitBrain of(RunCourse course, Ownership ownership) {
        return course.data().isWhole(RunData.JOURNAL)
                ? measure(ownership, course.run().balancers(), course.faulted().fromUs(), course.endUs())
                : null;
    }

    /** True if no overlap was longer than a handover. */
    boolean isNone() {
        return overlaps.isEmpty();
    }

    long totalUs() {
        return overlaps.stream().mapToLong(Span::lengthUs).sum();
    }

    /** The figures of verdict.json; {@code measured}: null if the ownership is unknown. */
    static Tree figures(@Nullable SplitBrain measured) {
        if (measured == null || !measured.isNone()) {
            return Tree.of("split_brain_ms", null, "split_brain", null);
        }
        List<Tree> handovers = measured.handovers.stream()
                .map(span -> Tree.of(
                        "from_us", span.fromUs(),
                        "to_us", span.toUs(),
                        "duration_ms", Numbers.round(Units.msOfUs(span.lengthUs()), 3)))
                .toList();
        Tree none =
                Tree.of("low_ms", 0.0, "high_ms", 0.0, "overlaps", List.of(), "handovers", handovers, "bound_ms", null);
        return Tree.of("split_brain_ms", 0.0, "split_brain", none);
    }

    /**
     * Finds the periods with two owners between two times.
     *
     * <p>Returns null if there are fewer than two balancers, if a balancer had no source, or if no two balancers
     * reported the same instance. Also null if a balancer's state was unknown for longer than a handover while another
     * held the address or was unknown too.
     */
    public static @Nullable SplitBrain measure(
            Ownership ownership, List<String> balancers, long sinceUs, long untilUs) {
        Set<String> every = Set.copyOf(balancers);
        List<Map<String, List<Change>>> instances = instancesOf(ownership, every);
        if (every.size() < 2 || instances.isEmpty()) {
            return null;
        }
        InstanceLines lines = new InstanceLines(instances, every, sinceUs, untilUs);
        List<Span> known = lines.overlaps(false);
        List<Span> possible = lines.overlaps(true);
        if (possible.stream().anyMatch(overlap -> overlap.lengthUs() > HANDOVER_US && !known.contains(overlap))) {
            return null;
        }
        List<Span> handovers = known.stream()
                .filter(overlap -> overlap.lengthUs() <= HANDOVER_US)
                .toList();
        return new SplitBrain(
                known.stream().filter(overlap -> !handovers.contains(overlap)).toList(), handovers);
    }

    /**
     * The changes of each node, by VRRP instance; empty if no instance has a source on every balancer.
     *
     * <p>Each node has its own names of instances. A source of the address names none: it belongs to the only instance
     * that another node reports.
     */
    private static List<Map<String, List<Change>>> instancesOf(Ownership ownership, Set<String> balancers) {
        Map<String, List<Change>> only = new HashMap<>();
        int reporting = 0;
        boolean isAddressSeen = false;
        for (Map.Entry<String, Map<String, List<Change>>> instance :
                ownership.changes().entrySet()) {
            int nodes = 0;
            for (String node : balancers) {
                List<Change> changes = instance.getValue().getOrDefault(node, List.of());
                if (changes.stream().anyMatch(change -> change.holds() != null)) {
                    only.put(node, changes);
                    nodes++;
                }
            }
            if (nodes == balancers.size()) {
                return List.copyOf(ownership.changes().values());
            }
            reporting += nodes;
            isAddressSeen |= nodes > 0 && instance.getKey().isEmpty();
        }
        boolean isOneEach = only.size() == balancers.size() && reporting == balancers.size();
        return isAddressSeen && isOneEach ? List.of(only) : List.of();
    }

    /** From this time on the node holds the address, or does not hold it. */
    private record OwnershipLine(long atUs, String node, boolean holds) {}

    private record InstanceLines(
            List<Map<String, List<Change>>> instances, Set<String> balancers, long sinceUs, long untilUs) {

        private List<Span> overlaps(boolean unknownHolds) {
            List<Span> overlaps = new ArrayList<>();
            instances.forEach(byNode -> addOverlaps(overlaps, byNode, unknownHolds));
            return Span.merged(overlaps);
        }

        /** Adds the overlaps of one VRRP instance. Before its first line the ownership of a node is unknown. */
        private void addOverlaps(List<Span> overlaps, Map<String, List<Change>> byNode, boolean unknownHolds) {
            Set<String> holders = new HashSet<>();
            List<OwnershipLine> lines = new ArrayList<>();
            byNode.forEach((node, changes) -> {
                if (!balancers.contains(node) || changes.stream().noneMatch(change -> change.holds() != null)) {
                    return;
                }
                if (unknownHolds) {
                    holders.add(node);
                }
                for (Change change : changes) {
                    if (change.isAboutOwnership() && change.atUs() < untilUs) {
                        boolean holds = change.lost() ? unknownHolds : change.isOwner();
                        lines.add(new OwnershipLine(change.atUs(), node, holds));
                    }
                }
            });
            lines.sort(Comparator.comparingLong(OwnershipLine::atUs)
                    .thenComparing(OwnershipLine::node)
                    .thenComparing(OwnershipLine::holds));
            lines.add(new OwnershipLine(untilUs, "", false));
            Long beganUs = holders.size() > 1 ? sinceUs : null;
            for (OwnershipLine line : lines) {
                if (beganUs != null && line.atUs > Math.max(beganUs, sinceUs)) {
                    overlaps.add(new Span(Math.max(beganUs, sinceUs), line.atUs));
                }
                if (line.holds) {
                    holders.add(line.node);
                } else {
                    holders.remove(line.node);
                }
                beganUs = holders.size() > 1 ? line.atUs : null;
            }
        }
    }
}
