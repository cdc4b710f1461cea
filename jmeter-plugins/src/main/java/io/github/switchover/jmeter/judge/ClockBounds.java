package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.NodeClock;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;

/** How well the nodes' clocks are known, over the whole run. */
final class ClockBounds {

    private ClockBounds() {}

    /**
     * By node, in microseconds: the wider of its bounds before and after the run, and what it drifted in between.
     *
     * <p>A node that could not be asked once, or names no way to read its clock, is not in it: nothing is known of it.
     */
    static Map<String, Long> of(List<NodeClock> clocks) {
        Map<String, LongSummaryStatistics> offsets = new HashMap<>();
        Map<String, LongSummaryStatistics> bounds = new HashMap<>();
        Set<String> unknown = new HashSet<>();
        for (NodeClock clock : clocks) {
            if (clock.isKnown()) {
                offsets.computeIfAbsent(clock.node(), name -> new LongSummaryStatistics())
                        .accept(clock.offsetUs());
                bounds.computeIfAbsent(clock.node(), name -> new LongSummaryStatistics())
                        .accept(clock.boundUs());
            } else {
                unknown.add(clock.node());
            }
        }
        Map<String, Long> found = new HashMap<>();
        offsets.forEach((node, offset) -> {
            if (!unknown.contains(node)) {
                found.put(node, bounds.get(node).getMax() + offset.getMax() - offset.getMin());
            }
        });
        return found;
    }

    /** Of the sources on all those nodes against each other; null if one of the clocks is unknown. */
    static Long between(List<String> nodes, List<NodeClock> clocks) {
        Map<String, Long> bounds = of(clocks);
        if (nodes.isEmpty() || !bounds.keySet().containsAll(nodes)) {
            return null;
        }
        return 2 * nodes.stream().mapToLong(bounds::get).max().orElseThrow();
    }
}
