package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.telemetry.BalancerState.ServerStatus;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot.StatRow.Key;
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

    /**
     * One line of {@code show stat}.
     *
     * @param server HAProxy's svname, {@code FRONTEND} and {@code BACKEND} included
     * @param type frontend, backend, server or listener
     * @param numbers by HAProxy's own names, in their order
     */
    public record StatRow(String proxy, String server, String type, String status, Map<String, Long> numbers) {

        public StatRow {
            numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
        }

        /** The row of a server that gets requests. */
        public boolean isServerUp() {
            return type.equals("server") && ServerStatus.isUp(status);
        }

        /** The unique key of a row in its table. */
        record Key(String proxy, String server, String type) {}

        Key key() {
            return new Key(proxy, server, type);
        }
    }
}
