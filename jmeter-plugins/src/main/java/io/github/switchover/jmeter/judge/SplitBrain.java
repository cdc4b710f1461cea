package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Span.Interval;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Ownership.Change;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * The time in which two or more balancers held the virtual address at once.
 *
 * <p>Only ownership sources on all balancers can show a split brain. With two owners a client follows its neighbour
 * entry, and sees the same single change of balancer as in a clean takeover (measured).
 *
 * @param overlaps times with two or more owners, longer than a handover
 * @param handovers the other overlaps; some may seem longer than {@link #HANDOVER_US} because of clock uncertainty
 * @param boundUs the error bound of an overlap, from the clocks of the sources; null: the clocks are unknown
 */
public record SplitBrain(List<Span> overlaps, List<Span> handovers, Long boundUs) {

    /**
     * The longest overlap that is a handover, not a split brain.
     *
     * <p>A router that becomes master sends its advert at once (RFC 5798 section 6.4.2). A master of lower priority
     * gives up the address when it receives that advert (section 6.4.3). In between, both hold the address: for the
     * travel time of one packet and the wake-up of one process. If two routers overlap for longer, they do not receive
     * each other's adverts.
     */
    static final long HANDOVER_US = 100_000;

    public long totalUs() {
        return overlaps.stream().mapToLong(Span::lengthUs).sum();
    }

    /**
     * The total in microseconds. The clock uncertainty widens each overlap.
     *
     * <p>If the clocks are unknown, arrival times are used, and the lines of an isolated node arrive only after the
     * node is reconnected. An overlap that is a handover only because of clock uncertainty may have been a split brain:
     * it is in the upper bound.
     */
    Interval length() {
        if (boundUs == null && !overlaps.isEmpty()) {
            return new Interval(0, null);
        }
        long bound = boundUs == null ? 0 : boundUs;
        double low = 0;
        double high = 0;
        for (Span overlap : overlaps) {
            low += Math.max(0, overlap.lengthUs() - bound);
            high += overlap.lengthUs() + bound;
        }
        for (Span doubtful : handovers) {
            high += doubtful.lengthUs() > HANDOVER_US ? doubtful.lengthUs() + bound : 0;
        }
        return new Interval(low, high);
    }

    /** Measures a run; null if a balancer had no source, or if its journal is damaged. */
    static SplitBrain of(RunCourse course, Ownership ownership) {
        List<String> balancers = course.run().balancers();
        Long clocksUs = clocksUs(balancers, course.run().tree().list("clocks"));
        Long boundUs = clocksUs == null ? null : (Long) Math.max(clocksUs, stampedLateUs(course, ownership));
        return course.data().isWhole(RunData.JOURNAL)
                ? measure(ownership, balancers, course.faulted().fromUs(), course.endUs(), boundUs)
                : null;
    }

    /**
     * The bound of the difference of two nodes' clocks in microseconds: twice the worst node's bound. A node's bound is
     * the wider of its bounds before and after the run, plus the drift in between. Null if a clock is unknown.
     */
    static Long clocksUs(List<String> nodes, List<Tree> clocks) {
        long worst = 0;
        for (String node : nodes) {
            LongSummaryStatistics offsets = new LongSummaryStatistics();
            LongSummaryStatistics bounds = new LongSummaryStatistics();
            for (Tree clock : clocks) {
                if (node.equals(clock.text("node"))) {
                    if (!clock.has("offset_us") || !clock.has("bound_us")) {
                        return null;
                    }
                    offsets.accept(clock.whole("offset_us"));
                    bounds.accept(clock.whole("bound_us"));
                }
            }
            if (bounds.getCount() == 0) {
                return null;
            }
            worst = Math.max(worst, bounds.getMax() + offsets.getMax() - offsets.getMin());
        }
        return nodes.isEmpty() ? null : (Long) (2 * worst);
    }

    /**
     * The delay of the time stamps of the sources, in microseconds. A balancer answers only while it holds the address,
     * and the end time of an answer is exact. A source may be late but never early. So the earliest evidence shows when
     * the address moved.
     */
    static long stampedLateUs(RunCourse course, Ownership ownership) {
        String master = course.run().fault().master();
        if (!course.isMasterHit()) {
            return 0;
        }
        Map<String, Long> owned = new TreeMap<>();
        for (String node : ownership.nodes()) {
            OptionalLong ownedUs = ownership.firstOwnedUs(node, course.faulted());
            if (ownedUs.isPresent() && !node.equals(master)) {
                owned.put(node, ownedUs.getAsLong());
            }
        }
        String elected =
                owned.keySet().stream().min(Comparator.comparing(owned::get)).orElse("");
        Long electedUs = owned.get(elected);
        for (Point point : course.data().points()) {
            long atUs = point.timeUs();
            boolean isAdvert = point.measurement().equals(Measurements.ADVERT)
                    && !point.tag("node").equals(master)
                    && point.fields().get("priority") instanceof FieldValue.Whole priority
                    && priority.value() > 0;
            if (isAdvert && course.faulted().contains(atUs) && (electedUs == null || atUs < electedUs)) {
                elected = point.tag("node");
                electedUs = atUs;
            }
        }
        if (electedUs == null) {
            return 0;
        }
        Long takenOverUs = course.counts().takenOverUs();
        boolean isAnswered = master != null && !master.isEmpty() && takenOverUs != null;
        return owned.getOrDefault(elected, electedUs)
                - electedUs
                + (isAnswered ? Math.max(0, electedUs - takenOverUs) : 0);
    }

    /** The figures of verdict.json. {@code found} is null if the split brain is unknown. */
    static Tree figures(SplitBrain found) {
        if (found == null) {
            return Tree.of("split_brain_ms", null, "split_brain", null);
        }
        Interval length = found.length();
        Tree times = Tree.of(
                "low_ms", milliseconds(length.low()),
                "high_ms", length.high() == null ? null : milliseconds(length.high()),
                "overlaps", found.overlaps.stream().map(SplitBrain::tree).toList(),
                "handovers", found.handovers.stream().map(SplitBrain::tree).toList(),
                "bound_ms", found.boundUs == null ? null : milliseconds(found.boundUs));
        return Tree.of("split_brain_ms", milliseconds((double) found.totalUs()), "split_brain", times);
    }

    private static Tree tree(Span span) {
        return Tree.of(
                "from_us", span.fromUs(), "to_us", span.toUs(), "duration_ms", milliseconds((double) span.lengthUs()));
    }

    private static Double milliseconds(double us) {
        return Numbers.round(us / Units.US_PER_MS, 3);
    }

    /**
     * Finds the times with two owners between two times.
     *
     * <p>Returns null if there are fewer than two balancers, if a balancer had no source, or if no two balancers
     * reported the same instance. Also returns null if a split brain was possible. Then the state of one balancer was
     * unknown for longer than a handover, while another balancer held the address or was unknown too.
     *
     * @param boundUs the bound of the difference of the sources' clocks; null: unknown
     */
    public static SplitBrain measure(
            Ownership ownership, List<String> balancers, long sinceUs, long untilUs, Long boundUs) {
        Set<String> every = Set.copyOf(balancers);
        List<Map<String, List<Change>>> instances = instancesOf(ownership, every);
        if (every.size() < 2 || instances.isEmpty()) {
            return null;
        }
        long limitUs = HANDOVER_US + (boundUs == null ? 0 : boundUs);
        InstanceLines lines = new InstanceLines(instances, every, sinceUs, untilUs);
        List<Span> found = lines.overlaps(false);
        List<Span> possible = lines.overlaps(true);
        if (possible.stream().anyMatch(overlap -> overlap.lengthUs() > limitUs && !found.contains(overlap))) {
            return null;
        }
        return new SplitBrain(
                found.stream().filter(overlap -> overlap.lengthUs() > limitUs).toList(),
                found.stream().filter(overlap -> overlap.lengthUs() <= limitUs).toList(),
                boundUs);
    }

    /**
     * The changes of each node, by VRRP instance; empty if no instance has a source on every balancer.
     *
     * <p>Each node has its own names of instances. A source of the address names no instance. If a node has such a
     * source, the source belongs to the only instance that another node reports.
     */
    private static List<Map<String, List<Change>>> instancesOf(Ownership ownership, Set<String> balancers) {
        Map<String, List<Change>> only = new HashMap<>();
        int told = 0;
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
            told += nodes;
            isAddressSeen |= nodes > 0 && instance.getKey().isEmpty();
        }
        boolean isOneEach = only.size() == balancers.size() && told == balancers.size();
        return isAddressSeen && isOneEach ? List.of(only) : List.of();
    }

    /** From this time on the node holds the address, or does not hold it. */
    private record OwnershipLine(long atUs, String node, boolean holds) {}

    private record InstanceLines(
            List<Map<String, List<Change>>> instances, Set<String> balancers, long sinceUs, long untilUs) {

        private List<Span> overlaps(boolean unknownHolds) {
            List<Span> found = new ArrayList<>();
            instances.forEach(byNode -> addOverlaps(found, byNode, unknownHolds));
            return Span.merged(found);
        }

        /**
         * Adds the overlaps within one VRRP instance. A node owns the address until its source reports a change, or is
         * lost. Before its first line the ownership of a node is unknown.
         */
        private void addOverlaps(List<Span> found, Map<String, List<Change>> byNode, boolean unknownHolds) {
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
                    if (change.tells() && change.atUs() < untilUs) {
                        boolean holds = change.lost() ? unknownHolds : change.isOwner();
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
}
