package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.run.Run;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The nodes of a run's target, as {@code run.json} describes them. */
final class RunNodes {

    private RunNodes() {}

    static List<String> balancers(Run run) {
        return named(run, node -> "balancer".equals(node.get("role")));
    }

    /** The nodes that were to tell about something: {@code haproxy}, {@code vip_owner}, {@code access_log}. */
    static List<String> with(Run run, String source) {
        return named(run, node -> Boolean.TRUE.equals(node.get(source)));
    }

    private static List<String> named(Run run, Predicate<Map<?, ?>> wanted) {
        if (!(run.target().get("nodes") instanceof List<?> nodes)) {
            return List.of();
        }
        return nodes.stream()
                .filter(Map.class::isInstance)
                .map(node -> (Map<?, ?>) node)
                .filter(wanted)
                .map(node -> String.valueOf(node.get("name")))
                .toList();
    }
}
