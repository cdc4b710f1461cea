package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.run.Run;
import java.util.List;
import java.util.Map;

/** What run.json says of the balancers and the weights of the backends; {@code run} may be null. */
final class RunTarget {

    private RunTarget() {}

    static List<String> balancers(Run run) {
        return run == null ? List.of() : run.target().balancers();
    }

    /** By backend: as the settings say, or HAProxy. */
    static Map<String, Double> weights(Run run, Map<String, Double> haproxy) {
        Map<String, Double> named =
                run == null ? null : run.settings().balancing().weights();
        return named == null || named.isEmpty() ? Map.copyOf(haproxy) : named;
    }
}
