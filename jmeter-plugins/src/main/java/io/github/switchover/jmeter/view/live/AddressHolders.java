package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Ownership;
import io.github.switchover.jmeter.judge.OwnershipChange;
import io.github.switchover.jmeter.judge.SplitBrain;
import io.github.switchover.jmeter.judge.SplitBrainMeter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Who held the virtual address when, and for how long two held it at once, as far as it is known by now. Reads {@code
 * switchover_vrrp} points, and computes anew only when one has come. Not thread-safe.
 */
final class AddressHolders {

    /** Points that are kept; an address that flaps for hours shows its newest moves. */
    static final int LIMIT = 2000;

    /** Stretches of ownership that are told of a node. */
    private static final int STRETCHES_LIMIT = 200;

    private final Deque<Point> points = new ArrayDeque<>();

    /** The last of the points that were too many, of each source: how things stood when those that are kept begin. */
    private final Map<List<String>, Point> before = new LinkedHashMap<>();

    private Ownership ownership;

    void read(Point point) {
        if (points.size() >= LIMIT) {
            Point old = points.removeFirst();
            List<String> source = List.of(
                    old.tag("node"),
                    old.tag("instance"),
                    old.fields().get("state") instanceof FieldValue.Text ? "state" : "");
            if (before.containsKey(source) || before.size() < LIMIT) {
                before.put(source, old);
            }
        }
        points.addLast(point);
        ownership = null;
    }

    /** Something is forgotten: a total of split brain is a lower bound. */
    boolean partial() {
        return !before.isEmpty();
    }

    /** The nodes that hold it, as far as a source has told. */
    List<String> now() {
        return ownership().nodes().stream()
                .filter(node -> ownership().holdsAt(node, Long.MAX_VALUE))
                .toList();
    }

    /** As the analysis measures it; the bound of the clocks is known only at the end. */
    SplitBrain splitBrain(List<String> balancers, long sinceUs, long untilUs) {
        long knownFromUs = partial() ? points.getFirst().timeNs() / Units.NS_PER_US : 0;
        return SplitBrainMeter.measure(ownership(), balancers, Math.max(sinceUs, knownFromUs), untilUs, null);
    }

    /** Each balancer with the stretches for which it held the address. */
    List<AddressHolder> nodes(List<String> balancers, long untilUs) {
        Set<String> named = new LinkedHashSet<>(balancers);
        named.addAll(ownership().nodes());
        return named.stream()
                .map(node -> new AddressHolder(node, ownership().nodes().contains(node), holds(node, untilUs)))
                .toList();
    }

    private Ownership ownership() {
        if (ownership == null) {
            List<Point> known = new ArrayList<>(before.values());
            known.addAll(points);
            ownership = Ownership.of(known);
        }
        return ownership;
    }

    private List<Span> holds(String node, long untilUs) {
        List<Span> found = new ArrayList<>();
        ownership().changes().values().forEach(byNode -> add(found, byNode.getOrDefault(node, List.of()), untilUs));
        List<Span> merged = Span.merged(found);
        return List.copyOf(merged.subList(Math.max(0, merged.size() - STRETCHES_LIMIT), merged.size()));
    }

    /** From each change to an owner to the next one that says otherwise, or ends what is known. */
    private static void add(List<Span> found, List<OwnershipChange> changes, long untilUs) {
        Long beganUs = null;
        for (OwnershipChange change : changes) {
            boolean holds = Boolean.TRUE.equals(change.holds());
            if (change.tells() && holds && beganUs == null) {
                beganUs = change.atUs();
            } else if (change.tells() && !holds && beganUs != null) {
                found.add(new Span(beganUs, change.atUs()));
                beganUs = null;
            }
        }
        if (beganUs != null && beganUs < untilUs) {
            found.add(new Span(beganUs, untilUs));
        }
    }
}
