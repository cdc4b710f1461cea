package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.streaming.StreamSettings.InfluxCredentials;
import org.junit.jupiter.api.Test;

class StreamSettingsTest {

    @Test
    void credentials_are_shown_to_nobody() {
        InfluxCredentials known = new InfluxCredentials("", "me", "secret");
        assertThat(new StreamSettings(InfluxAddress.of("http://i?db=d"), known, 1).toString())
                .contains("InfluxCredentials(***)")
                .doesNotContain("secret");
    }

    @Test
    void an_old_database_gets_name_and_password_a_new_one_a_token() {
        InfluxCredentials pair = new InfluxCredentials("", "me", "pass");
        assertThat(pair.authorization(true)).isEqualTo("Basic bWU6cGFzcw==");
        assertThat(pair.authorization(false)).isEqualTo("Token me:pass");
        assertThat(new InfluxCredentials("t", "", "").authorization(true)).isEqualTo("Token t");
        assertThat(InfluxCredentials.NONE.authorization(true)).isEmpty();
        assertThat(new InfluxCredentials("t", "me", "pass").authorization(false))
                .isEqualTo("Token t");
    }

    @Test
    void a_header_is_written_as_latin_1_and_has_the_bytes_of_utf_8() {
        assertThat(new InfluxCredentials("ü", "", "").authorization(false)).isEqualTo("Token Ã¼");
    }

    @Test
    void what_must_not_be_repeated_is_each_secret_and_the_header_of_a_name_and_its_password() {
        assertThat(new InfluxCredentials("token", "me", "pass").secrets())
                .containsExactly("bWU6cGFzcw==", "token", "pass");
        assertThat(new InfluxCredentials("token", "", "").secrets()).containsExactly("token");
    }
}
