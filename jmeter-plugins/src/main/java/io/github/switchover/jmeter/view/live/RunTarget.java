package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.run.Run;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What run.json says of the balancers and the weights of the backends; {@code run} may be null. */
final class RunTarget {

    private RunTarget() {}

    static List<String> balancers(Run run) {
        return run == null
                ? List.of()
                : JsonFields.of(run.target()).objects("nodes").stream()
                        .filter(node -> "balancer".equals(node.text("role")) && node.text("name") != null)
                        .map(node -> node.text("name"))
                        .toList();
    }

    /** By backend: as the settings say, or HAProxy. */
    static Map<String, Double> weights(Run run, Map<String, Double> haproxy) {
        Map<String, Double> named = new LinkedHashMap<>();
        JsonFields weights = JsonFields.of(run == null ? null : run.settings().get("weights"));
        for (String name : weights.names()) {
            Double weight = weights.number(name);
            if (weight != null) {
                named.put(name, weight);
            }
        }
        return named.isEmpty() ? Map.copyOf(haproxy) : named;
    }
}
