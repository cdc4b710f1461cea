package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A server that gets requests beside the victim of a fault, in each proxy that the victim serves.
 *
 * @param name null where there is none
 * @param lacks what is missing then; null where the balancer tells of no server
 */
record OtherServer(String name, String lacks) {

    /** Where no server is called as the victim is, it may be any: then two in one proxy are needed. */
    static OtherServer in(BalancerState state, String victim) {
        if (state.servers().isEmpty()) {
            return new OtherServer(null, null);
        }
        Map<String, List<String>> up = new TreeMap<>();
        for (String server : state.serversUp()) {
            if (state.weights().getOrDefault(server, 1L) != 0) {
                up.computeIfAbsent(proxyOf(server), proxy -> new ArrayList<>()).add(server);
            }
        }
        Set<String> served = new TreeSet<>();
        for (String server : state.servers().keySet()) {
            if (server.equals(proxyOf(server) + "/" + victim)) {
                served.add(proxyOf(server));
            }
        }
        return served.isEmpty() ? besideAny(up, victim) : beside(state, up, served, victim);
    }

    private static OtherServer besideAny(Map<String, List<String>> up, String victim) {
        return up.values().stream()
                .filter(servers -> servers.size() > 1)
                .findFirst()
                .map(servers -> new OtherServer(servers.get(0) + " or " + servers.get(1), null))
                .orElse(new OtherServer(
                        null, "has no server called " + victim + ", and no two servers in one proxy that are up"));
    }

    private static OtherServer beside(
            BalancerState state, Map<String, List<String>> up, Set<String> served, String victim) {
        String found = null;
        List<String> alone = new ArrayList<>();
        for (String proxy : served) {
            String hit = proxy + "/" + victim;
            String other = up.getOrDefault(proxy, List.of()).stream()
                    .filter(server -> !server.equals(hit))
                    .findFirst()
                    .orElse(null);
            found = found == null ? other : found;
            if (other == null && state.serversUp().contains(hit)) {
                alone.add(proxy);
            }
        }
        if (found == null || !alone.isEmpty()) {
            String where = alone.isEmpty() ? "" : " in " + String.join(", ", alone);
            return new OtherServer(null, "has no other server that is up" + where);
        }
        return new OtherServer(found, null);
    }

    private static String proxyOf(String server) {
        return server.substring(0, server.lastIndexOf('/'));
    }
}
