package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.judge.Ownership;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The owners of the virtual address over time, from {@code switchover_vrrp} points. Not thread-safe. */
public final class LiveAddress {

    /** The number of stored points. If an address moves back and forth for hours, only the newest moves are shown. */
    static final int LIMIT = 2000;

    /** A node that may have the address; {@code observed}: a source reports on it. */
    public record Holder(String node, boolean observed, boolean holdsNow) {}

    private final Deque<Point> points = new ArrayDeque<>();

    void read(Point point) {
        points.addLast(point);
        if (points.size() > LIMIT) {
            points.removeFirst();
        }
    }

    /** Returns each balancer, and each other node that a source reported. */
    List<Holder> nodes(List<String> balancers) {
        Ownership ownership = Ownership.of(points);
        Set<String> observed = ownership.nodes();
        Set<String> named = new LinkedHashSet<>(balancers);
        named.addAll(observed);
        return named.stream()
                .map(node -> new Holder(node, observed.contains(node), ownership.holdsAt(node, Long.MAX_VALUE)))
                .toList();
    }
}
