package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.target.InfluxSettings;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StreamSettingsTest {

    private static final InfluxSettings FILE =
            new InfluxSettings("http://influx:8086", null, null, "drills", "of-the-file", null, null);

    @Test
    void without_an_address_points_go_nowhere() {
        assertThat(choose("", null, Map.of(InfluxCredentials.TOKEN, "t"))).isNull();
    }

    @Test
    void a_url_comes_before_the_target_file() {
        assertThat(choose("", FILE, Map.of()).address().url()).isEqualTo("http://influx:8086?db=drills");
        assertThat(choose("http://other:1?db=d", FILE, Map.of()).address().url())
                .isEqualTo("http://other:1?db=d");
    }

    @Test
    void the_files_credentials_are_for_its_own_server_and_no_other() {
        assertThat(choose("", FILE, Map.of()).credentials().token()).isEqualTo("of-the-file");
        assertThat(choose("http://INFLUX:8086/?org=o&bucket=b", FILE, Map.of())
                        .credentials()
                        .token())
                .isEqualTo("of-the-file");
        assertThat(choose("http://influx:8087?db=d", FILE, Map.of()).credentials())
                .isEqualTo(InfluxCredentials.NONE);
    }

    @Test
    void the_environments_credentials_come_before_the_files() {
        assertThat(choose("", FILE, Map.of(InfluxCredentials.TOKEN, "of-the-environment"))
                        .credentials()
                        .token())
                .isEqualTo("of-the-environment");
    }

    @Test
    void half_of_a_pair_is_refused() {
        assertThatThrownBy(() -> choose("", FILE, Map.of(InfluxCredentials.USER, "me")))
                .hasMessage("the database's credentials are half there: set SWITCHOVER_INFLUX_PASSWORD too");
    }

    @Test
    void a_line_end_in_a_secret_is_refused_without_showing_it() {
        assertThatThrownBy(() -> choose("", FILE, Map.of(InfluxCredentials.TOKEN, "secret\n")))
                .hasMessage("the database's credentials have a control character (a line end, say): remove it");
    }

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

    @Test
    void what_the_file_cannot_mean_names_the_file() {
        InfluxSettings neither = new InfluxSettings("http://influx:8086", "org", null, null, null, null, null);
        assertThatThrownBy(() -> choose("", neither, Map.of()))
                .hasMessageStartingWith("[influx] of the target file: the database's address must name either");
    }

    private static StreamSettings choose(String url, InfluxSettings file, Map<String, String> environment) {
        return StreamSettings.choose(url, file, environment::get, StreamSettings.WAIT_S);
    }
}
