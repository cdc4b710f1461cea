package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.streaming.InfluxAnswer.Meaning;
import io.github.switchover.jmeter.streaming.StagedDatabase.Reply;
import io.github.switchover.jmeter.streaming.StreamSettings.InfluxCredentials;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** One batch, posted: what comes back is an answer, also where there is none. */
class InfluxWriterTest {

    private static final byte[] LINES = "m v=1i 1700000000000000000\n".getBytes(StandardCharsets.UTF_8);

    @Test
    void a_kept_connection_that_the_database_ends_is_replaced_and_the_batch_is_sent_again() {
        try (StagedDatabase database =
                        new StagedDatabase((self, write) -> self.writes().size() == 2 ? null : StagedDatabase.TAKEN);
                InfluxWriter writer = writer(database, InfluxCredentials.NONE)) {
            assertThat(writer.post(LINES)).isEqualTo(InfluxAnswer.TAKEN);
            assertThat(writer.post(LINES)).isEqualTo(InfluxAnswer.TAKEN);
            assertThat(database.writes()).hasSize(3);
        }
    }

    @Test
    void on_a_new_connection_a_batch_without_an_answer_is_sent_once() {
        try (StagedDatabase database = new StagedDatabase((self, write) -> null);
                InfluxWriter writer = writer(database, InfluxCredentials.NONE)) {
            assertThat(writer.post(LINES).meaning()).isEqualTo(Meaning.WAIT);
            assertThat(database.writes()).hasSize(1);
        }
    }

    @Test
    void a_database_that_names_a_time_is_tried_again_then() {
        Reply busy = new Reply(503, "", Map.of("Retry-After", "7"));
        try (StagedDatabase database = new StagedDatabase((self, write) -> busy);
                InfluxWriter writer = writer(database, InfluxCredentials.NONE)) {
            assertThat(writer.post(LINES)).isEqualTo(InfluxAnswer.wait(7.0, "503"));
        }
    }

    @Test
    void a_name_without_an_address_is_an_answer_too() {
        InfluxAddress nowhere = InfluxAddress.of("http://influx.invalid:8086?db=d");
        try (InfluxWriter writer = new InfluxWriter(nowhere, InfluxCredentials.NONE)) {
            assertThat(writer.post(LINES))
                    .isEqualTo(InfluxAnswer.wait(null, "this machine finds no address of the name 'influx.invalid'"));
        }
    }

    @Test
    void no_secret_of_ours_is_repeated() {
        InfluxCredentials secret = new InfluxCredentials("", "me", "s3cret");
        Reply repeating = Reply.of(500, "{\"error\": \"Basic bWU6czNjcmV0 is me:s3cret\"}");
        try (StagedDatabase database = new StagedDatabase((self, write) -> repeating);
                InfluxWriter writer = writer(database, secret)) {
            assertThat(writer.post(LINES).why()).isEqualTo("500: Basic *** is me:***");
        }
    }

    private static InfluxWriter writer(StagedDatabase database, InfluxCredentials credentials) {
        return new InfluxWriter(InfluxAddress.of(database.url()), credentials);
    }
}
