package io.github.switchover.jmeter.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.drill.BackupCheck.OtherServer;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;

class OtherServerTest {

    @ParameterizedTest
    @VectorSource(file = "server_status.json", table = "beside_a_victim")
    @SuppressWarnings("unchecked")
    void a_server_stands_in_for_the_victim_where_python_says_so(Map<String, Object> vector) {
        Map<String, Long> weights = ((Map<String, Number>) vector.get("weights"))
                .entrySet().stream()
                        .collect(Collectors.toMap(
                                Map.Entry::getKey, weight -> weight.getValue().longValue()));
        Map<String, String> servers = (Map<String, String>) vector.get("servers");
        BalancerState state = new BalancerState(0, "", Map.of(), servers, weights, 0);
        assertThat(OtherServer.in(state, (String) vector.get("victim")))
                .isEqualTo(new OtherServer((String) vector.get("found"), (String) vector.get("lacks")));
    }
}
