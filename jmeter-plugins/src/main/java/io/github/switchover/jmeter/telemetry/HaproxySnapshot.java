package io.github.switchover.jmeter.telemetry;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One whole answer of HAProxy.
 *
 * @param node HAProxy's {@code node}, by default the host's name; empty on the statistics page, which has none
 * @param info the numbers of {@code show info}; empty on the statistics page, which has none
 * @param generation names the time in which counters only rise: compare within one generation only
 */
public record HaproxySnapshot(List<StatRow> rows, String node, Map<String, Long> info, String generation) {

    public HaproxySnapshot {
        rows = List.copyOf(rows);
        info = Collections.unmodifiableMap(new LinkedHashMap<>(info));
    }

    HaproxySnapshot in(String named) {
        return new HaproxySnapshot(rows, node, info, named);
    }
}
