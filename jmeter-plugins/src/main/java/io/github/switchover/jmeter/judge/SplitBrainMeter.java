package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Span;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds two owners of one address. Only an ownership source on every balancer can tell: with two owners a client
 * follows its neighbour entry, and sees the same single change of balancer as in a clean takeover (measured).
 */
public final class SplitBrainMeter {

    /**
     * The longest overlap that is a handover, not a split brain.
     *
     * <p>A router that becomes master sends its advert at once (RFC 5798 section 6.4.2), and a master of lower priority
     * gives up the address as soon as it hears it (section 6.4.3). In between both hold it: one packet's way and the
     * waking of one process. Two that overlap for longer do not hear one another.
     */
    static final long HANDOVER_US = 100_000;

    private final List<Map<String, List<OwnershipChange>>> instances;
    private final Set<String> balancers;
    private final long sinceUs;
    private final long untilUs;

    private SplitBrainMeter(
            List<Map<String, List<OwnershipChange>>> instances, Set<String> balancers, long sinceUs, long untilUs) {
        this.instances = instances;
        this.balancers = balancers;
        this.sinceUs = sinceUs;
        this.untilUs = untilUs;
    }

    /**
     * Two owners between two times; null unless every balancer, at least two of them, had a source. Null also where a
     * source did not know for longer than a handover while another balancer had the address, or it was unknown of that one
     * either, or where no two of them told of the same: then there may have been two.
     *
     * @param boundUs of the sources' clocks against each other; null: unknown
     */
    public static SplitBrain measure(
            Ownership ownership, List<String> balancers, long sinceUs, long untilUs, Long boundUs) {
        Set<String> every = Set.copyOf(balancers);
        List<Map<String, List<OwnershipChange>>> instances = instancesOf(ownership, every);
        if (every.size() < 2 || instances.isEmpty()) {
            return null;
        }
        long limitUs = HANDOVER_US + (boundUs == null ? 0 : boundUs);
        SplitBrainMeter meter = new SplitBrainMeter(instances, every, sinceUs, untilUs);
        List<Span> found = meter.overlaps(false);
        List<Span> possible = meter.overlaps(true);
        if (possible.stream().anyMatch(overlap -> overlap.lengthUs() > limitUs && !found.contains(overlap))) {
            return null;
        }
        return new SplitBrain(
                found.stream().filter(overlap -> overlap.lengthUs() > limitUs).toList(),
                found.stream().filter(overlap -> overlap.lengthUs() <= limitUs).toList(),
                boundUs);
    }

    /**
     * What each node told, by VRRP instance; none where no instance has a source on every balancer.
     *
     * <p>Their names are the nodes' own. Where the address itself was seen on one node, which names no instance, the only
     * instance that another tells of is that of the address.
     */
    private static List<Map<String, List<OwnershipChange>>> instancesOf(Ownership ownership, Set<String> balancers) {
        Map<String, List<OwnershipChange>> only = new HashMap<>();
        int told = 0;
        boolean isAddressSeen = false;
        for (Map.Entry<String, Map<String, List<OwnershipChange>>> instance :
                ownership.changes().entrySet()) {
            int nodes = 0;
            for (String node : balancers) {
                List<OwnershipChange> changes = instance.getValue().getOrDefault(node, List.of());
                if (changes.stream().anyMatch(change -> change.holds() != null)) {
                    only.put(node, changes);
                    nodes++;
                }
            }
            if (nodes == balancers.size()) {
                return List.copyOf(ownership.changes().values());
            }
            told += nodes;
            isAddressSeen |= nodes > 0 && instance.getKey().isEmpty();
        }
        boolean isOneEach = only.size() == balancers.size() && told == balancers.size();
        return isAddressSeen && isOneEach ? List.of(only) : List.of();
    }

    private List<Span> overlaps(boolean unknownHolds) {
        List<Span> found = new ArrayList<>();
        instances.forEach(byNode -> addOverlaps(found, byNode, unknownHolds));
        return Span.merged(found);
    }

    private record OwnershipLine(long atUs, String node, boolean holds) {}

    /**
     * Within one VRRP instance; an owner stays one until its source says otherwise, or knows no more. Who belongs to the
     * instance is unknown until its first line.
     */
    private void addOverlaps(List<Span> found, Map<String, List<OwnershipChange>> byNode, boolean unknownHolds) {
        Set<String> holders = new HashSet<>();
        List<OwnershipLine> lines = new ArrayList<>();
        byNode.forEach((node, changes) -> {
            if (!balancers.contains(node) || changes.stream().noneMatch(change -> change.holds() != null)) {
                return;
            }
            if (unknownHolds) {
                holders.add(node);
            }
            for (OwnershipChange change : changes) {
                if (change.tells() && change.atUs() < untilUs) {
                    boolean holds = change.lost() ? unknownHolds : Boolean.TRUE.equals(change.holds());
                    lines.add(new OwnershipLine(change.atUs(), node, holds));
                }
            }
        });
        lines.sort(Comparator.comparingLong(OwnershipLine::atUs)
                .thenComparing(OwnershipLine::node)
                .thenComparing(OwnershipLine::holds));
        lines.add(new OwnershipLine(untilUs, "", false));
        Long beganUs = holders.size() > 1 ? (Long) sinceUs : null;
        for (OwnershipLine line : lines) {
            if (beganUs != null && line.atUs > Math.max(beganUs, sinceUs)) {
                found.add(new Span(Math.max(beganUs, sinceUs), line.atUs));
            }
            if (line.holds) {
                holders.add(line.node);
            } else {
                holders.remove(line.node);
            }
            beganUs = holders.size() > 1 ? (Long) line.atUs : null;
        }
    }
}
