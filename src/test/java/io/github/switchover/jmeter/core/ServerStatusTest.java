package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;

class ServerStatusTest {

    @ParameterizedTest
    @VectorSource(file = "server_status.json", table = "cases")
    void a_server_is_up_where_python_says_so(Map<String, Object> vector) {
        assertThat(BalancerState.isUp((String) vector.get("status"))).isEqualTo(vector.get("up"));
    }

    @ParameterizedTest
    @VectorSource(file = "server_status.json", table = "frontends")
    void a_frontend_takes_connections_where_python_says_so(Map<String, Object> vector) {
        assertThat(BalancerState.isFrontendOpen((String) vector.get("status"))).isEqualTo(vector.get("open"));
    }
}
