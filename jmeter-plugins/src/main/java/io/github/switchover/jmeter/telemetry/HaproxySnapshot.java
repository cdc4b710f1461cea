package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.telemetry.BalancerState.ServerStatus;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot.StatRow.Key;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One complete answer of HAProxy.
 *
 * @param node HAProxy's {@code node}, by default the host name; empty on the statistics page
 * @param info the numbers of {@code show info}; empty on the statistics page
 * @param generation identifies a period without a reset of counters: compare counters only within one generation
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
     * @param server HAProxy's svname, including {@code FRONTEND} and {@code BACKEND}
     * @param type frontend, backend, server or listener
     * @param numbers by HAProxy's column names, in HAProxy's order
     */
    public record StatRow(String proxy, String server, String type, String status, Map<String, Long> numbers) {

        public StatRow {
            numbers = Collections.unmodifiableMap(new LinkedHashMap<>(numbers));
        }

        /** True for the row of a server that gets requests. */
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
