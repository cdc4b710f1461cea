package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StreamSettingsTest {

    @Test
    void credentials_are_shown_to_nobody() {
        InfluxCredentials known = new InfluxCredentials("", "me", "secret");
        assertThat(new StreamSettings(InfluxAddress.of("http://i?db=d"), known, 1).toString())
                .doesNotContain("secret");
    }

    @Test
    void an_old_database_gets_name_and_password_a_new_one_a_token() {
        InfluxCredentials pair = new InfluxCredentials("", "me", "pass");
        assertThat(pair.authorization(true)).isEqualTo("Basic bWU6cGFzcw==");
        assertThat(pair.authorization(false)).isEqualTo("Token me:pass");
        assertThat(new InfluxCredentials("t", "", "").authorization(true)).isEqualTo("Token t");
        assertThat(InfluxCredentials.NONE.authorization(true)).isEmpty();
    }
}
