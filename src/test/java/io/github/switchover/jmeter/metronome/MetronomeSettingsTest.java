package io.github.switchover.jmeter.metronome;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.http.Endpoints;
import org.junit.jupiter.api.Test;

class MetronomeSettingsTest {

    @Test
    void settings_follow_the_target_where_it_says_something() {
        MetronomeSettings settings = MetronomeSettings.of(Endpoints.at("http://127.0.0.1/"), 100);
        assertThat(settings.timeoutConnectS()).isEqualTo(0.25);
        assertThat(settings.timeoutReadS()).isEqualTo(1.0);
        assertThat(settings.openAtMost()).isEqualTo(126);
    }
}
