package io.github.switchover.jmeter.prober;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.http.Endpoints;
import org.junit.jupiter.api.Test;

class ProberSettingsTest {

    @Test
    void as_many_connections_are_open_as_probes_are_sent_while_one_may_take_its_time() {
        ProberSettings settings = new ProberSettings(Endpoints.at("http://127.0.0.1/"), 100, 0, 0.25, 1.0, 1.0, 0.005);
        assertThat(settings.openAtMost()).isEqualTo(126);
    }
}
