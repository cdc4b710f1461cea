package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ServerStatusTest {

    @ParameterizedTest
    @MethodSource("cases")
    void a_server_is_up_where_python_says_so(Map<String, Object> vector) {
        assertThat(BalancerState.isUp((String) vector.get("status"))).isEqualTo(vector.get("up"));
    }

    @ParameterizedTest
    @MethodSource("frontends")
    void a_frontend_takes_connections_where_python_says_so(Map<String, Object> vector) {
        assertThat(BalancerState.isFrontendOpen((String) vector.get("status"))).isEqualTo(vector.get("open"));
    }

    static Stream<Named<Map<String, Object>>> frontends() {
        return Contract.plain("server_status.json", "frontends");
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("server_status.json", "cases");
    }
}
