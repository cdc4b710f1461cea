package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.judge.Ownership;
import io.github.switchover.jmeter.judge.Ownership.Change;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The owners of the virtual address over time, from {@code switchover_vrrp} points. Not thread-safe. */
public final class LiveAddress {

    /** The number of stored points. If an address moves back and forth for hours, only the newest moves are shown. */
    static final int LIMIT = 2000;

    /**
     * A node that may have the virtual address.
     *
     * @param observed true if a source reports on the node
     * @param holdsNow true if the last report says that the node has the address
     * @param held the periods in which the node had the address, in order of time
     */
    public record Holder(String node, boolean observed, boolean holdsNow, List<Span> held) {}

    private final Deque<Point> points = new ArrayDeque<>();

    void read(Point point) {
        points.addLast(point);
        if (points.size() > LIMIT) {
            points.removeFirst();
        }
    }

    /** Returns each balancer, and each other node that a source reported. */
    List<Holder> nodes(List<String> balancers, long untilUs) {
        Ownership ownership = Ownership.of(points);
        Set<String> observed = ownership.nodes();
        Set<String> named = new LinkedHashSet<>(balancers);
        named.addAll(observed);
        return named.stream()
                .map(node -> new Holder(
                        node,
                        observed.contains(node),
                        ownership.holdsAt(node, Long.MAX_VALUE),
                        held(ownership, node, untilUs)))
                .toList();
    }

    /**
     * Returns the periods in which the node had the address. A period ends with the next change, or when the owner
     * becomes unknown.
     */
    private static List<Span> held(Ownership ownership, String node, long untilUs) {
        List<Span> found = new ArrayList<>();
        for (Map<String, List<Change>> byNode : ownership.changes().values()) {
            Change taken = null;
            for (Change change : byNode.getOrDefault(node, List.of())) {
                if (change.isOwner() && taken == null) {
                    taken = change;
                } else if (change.tells() && !change.isOwner() && taken != null) {
                    found.add(new Span(taken.atUs(), change.atUs()));
                    taken = null;
                }
            }
            if (taken != null && taken.atUs() < untilUs) {
                found.add(new Span(taken.atUs(), untilUs));
            }
        }
        return Span.merged(found);
    }
}
