package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.streaming.InfluxAnswer.Meaning;
import io.github.switchover.jmeter.streaming.StagedDatabase.Reply;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** One batch, posted: what comes back is an answer, also where there is none. */
class InfluxWriterTest {

    private static final byte[] LINES = "m v=1i 1700000000000000000\n".getBytes(StandardCharsets.UTF_8);

    @Test
    void without_credentials_none_are_sent() {
        try (StagedDatabase database = new StagedDatabase((self, write) -> StagedDatabase.TAKEN);
                InfluxWriter writer = writer(database, InfluxCredentials.NONE)) {
            assertThat(writer.post(LINES)).isEqualTo(InfluxAnswer.TAKEN);
            assertThat(database.writes().get(0).headers()).doesNotContainKey("Authorization");
        }
    }

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
    void a_name_without_an_address_is_an_answer_too() {
        InfluxAddress nowhere = InfluxAddress.of("http://influx.invalid:8086?db=d");
        try (InfluxWriter writer = new InfluxWriter(nowhere, InfluxCredentials.NONE)) {
            assertThat(writer.post(LINES))
                    .isEqualTo(InfluxAnswer.wait(null, "the name 'influx.invalid' has no address here"));
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

    @Test
    void closing_closes_the_kept_connection() throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Integer> next = CompletableFuture.supplyAsync(() -> takeOne(listener));
            InfluxAddress address = InfluxAddress.of("http://127.0.0.1:" + listener.getLocalPort() + "?db=d");
            InfluxWriter writer = new InfluxWriter(address, InfluxCredentials.NONE);
            assertThat(writer.post(LINES)).isEqualTo(InfluxAnswer.TAKEN);
            writer.close();
            assertThat(next.get()).isEqualTo(-1);
        }
    }

    /** Answers one request; the next byte that comes, or -1 for the end. */
    private static int takeOne(ServerSocket listener) {
        try (Socket connection = listener.accept();
                BufferedReader request = new BufferedReader(
                        new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1))) {
            int length = 0;
            for (String line = request.readLine(); !line.isEmpty(); line = request.readLine()) {
                if (line.startsWith("Content-Length: ")) {
                    length = Integer.parseInt(line.substring("Content-Length: ".length()));
                }
            }
            for (int i = 0; i < length; i++) {
                request.read();
            }
            connection.getOutputStream().write("HTTP/1.1 204 No Content\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return request.read();
        } catch (SocketException reset) {
            return -1;
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    private static InfluxWriter writer(StagedDatabase database, InfluxCredentials credentials) {
        return new InfluxWriter(InfluxAddress.of(database.url()), credentials);
    }
}
