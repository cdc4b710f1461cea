package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.target.Node;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** The node whose balancer counts requests when requests are sent. */
final class CounterWatch {

    /** Sent to see whose counters advance; far more than the scrapes themselves, of which a page counts one each. */
    static final int REQUESTS = 20;

    /** A node that is not the master may count this many meanwhile: health checks, its own page. */
    private static final int BY_CHANCE = REQUESTS / 4;

    private final Map<String, LongSupplier> counters = new LinkedHashMap<>();

    CounterWatch(List<Node> balancers, double timeoutS) {
        for (Node node : balancers) {
            BalancerKind kind = BalancerKind.of(node);
            if (kind != null) {
                counters.put(node.name(), kind.requests(kind.source(node), timeoutS));
            }
        }
    }

    Master find(Supplier<Attempt> request) {
        Map<String, Long> before = totals();
        int answered = 0;
        while (answered < REQUESTS && MasterFinder.isAnswer(request.get())) {
            answered++;
        }
        if (answered < REQUESTS) {
            return unknown("only " + answered + " of " + REQUESTS + " requests were answered");
        }
        Map<String, Long> grown = new LinkedHashMap<>();
        totals().forEach((name, total) -> {
            if (before.containsKey(name)) {
                grown.put(name, total - before.get(name));
            }
        });
        List<String> counted = new ArrayList<>();
        TreeSet<String> moved = new TreeSet<>();
        grown.forEach((name, count) -> {
            if (count >= REQUESTS) {
                counted.add(name);
            }
            if (count > BY_CHANCE) {
                moved.add(name);
            }
        });
        if (counted.size() == 1 && moved.size() == 1) {
            String name = counted.get(0);
            return new Master(
                    name,
                    "counters",
                    name + " counted " + grown.get(name) + " requests when " + REQUESTS + " were sent");
        }
        if (!moved.isEmpty()) {
            return unknown("more than one node counts requests: " + String.join(" and ", moved));
        }
        return unknown(grown.isEmpty() ? "no node's counters can be read" : "no node's counters advance");
    }

    /** The requests that each node has counted; those that cannot be read are left out. */
    private Map<String, Long> totals() {
        Map<String, Long> totals = new LinkedHashMap<>();
        counters.forEach((node, counter) -> {
            try {
                totals.put(node, counter.getAsLong());
            } catch (SourceException error) {
                // Left out.
            }
        });
        return totals;
    }

    private static Master unknown(String reason) {
        return new Master(null, "counters", reason);
    }
}
