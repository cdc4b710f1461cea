package io.github.switchover.jmeter.telemetry;

import java.util.List;
import java.util.Map;

/**
 * One complete answer of HAProxy. Counters are comparable only within one {@code generation}.
 *
 * <p>{@code node} and the numbers {@code info} of {@code show info} are empty on the statistics page.
 */
public record HaproxySnapshot(List<StatRow> rows, String node, Map<String, Long> info, String generation) {

    HaproxySnapshot in(String named) {
        return new HaproxySnapshot(rows, node, info, named);
    }

    /** One line of {@code show stat}, with its numbers by HAProxy's column names, in HAProxy's order. */
    public record StatRow(String proxy, String server, String type, String status, Map<String, Long> numbers) {

        /** True for the row of a server that gets requests. */
        public boolean isServerUp() {
            return type.equals("server") && BalancerState.isUp(status);
        }

        /** Returns the unique key of a row in its table. */
        List<String> key() {
            return List.of(proxy, server, type);
        }
    }
}
