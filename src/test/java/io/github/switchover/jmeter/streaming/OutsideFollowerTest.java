package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.drill.Ours;
import io.github.switchover.jmeter.run.StreamedPoints;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lab that follows for those inside is asked to; the lab is staged here, and real in the tests of Python. */
class OutsideFollowerTest {

    private static final StreamSettings SETTINGS = new StreamSettings(
            InfluxAddress.of("http://127.0.0.1:1?org=o&bucket=b"), new InfluxCredentials("s3cret", "", ""), 0.1);

    @TempDir
    Path place;

    private final List<String> warnings = new CopyOnWriteArrayList<>();

    @AfterEach
    void nothing_is_left_behind() throws InterruptedException {
        Ours.areGone();
    }

    @Test
    void it_is_told_what_to_follow_and_says_what_became_of_it() throws Exception {
        String account =
                "{\"account\": {\"to\": \"x\", \"points\": 5, \"refused\": 1, \"left\": 0, \"why\": \"no\"}}\n";
        CompletableFuture<List<String>> told = lab("{\"warning\": \"it is slow\"}\n" + account);
        StreamedPoints streamed =
                Streaming.start(place, SETTINGS, place, warnings::add).finish();
        assertThat(streamed).isEqualTo(new StreamedPoints("http://127.0.0.1:1?org=o&bucket=b", 5, 1, 0, "no"));
        assertThat(warnings).containsExactly("it is slow");
        assertThat(told.get()).hasSize(1);
        Map<String, Object> spec = Contract.json(told.get().get(0));
        assertThat(spec)
                .containsEntry("directory", place.toString())
                .containsEntry("url", "http://127.0.0.1:1?org=o&bucket=b")
                .containsEntry("wait_s", 0.1);
        assertThat(spec.get("credentials")).isEqualTo(Map.of("token", "s3cret", "user", "", "password", ""));
    }

    @Test
    void one_that_dies_leaves_what_the_files_say() throws Exception {
        CompletableFuture<List<String>> told = lab("");
        Files.writeString(place.resolve("journal.lp"), "m v=1i 1700000000000000000\n");
        StreamedPoints streamed =
                Streaming.start(place, SETTINGS, place, warnings::add).finish();
        assertThat(streamed.left()).isEqualTo(1);
        told.get();
    }

    @Test
    void where_nobody_listens_it_is_followed_from_here() throws IOException {
        Files.createFile(place.resolve("follow.sock"));
        try (Streaming streaming = Streaming.start(place, SETTINGS, place, warnings::add)) {
            assertThat(streaming).isInstanceOf(Follower.class);
        }
    }

    /** Hears everything, answers, and hangs up; the lines that it was told. */
    private CompletableFuture<List<String>> lab(String answer) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(place.resolve("follow.sock")));
        return CompletableFuture.supplyAsync(() -> {
            List<String> told = new ArrayList<>();
            try (listener;
                    SocketChannel channel = listener.accept();
                    BufferedReader lines = new BufferedReader(
                            new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    told.add(line);
                }
                channel.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8)));
                return told;
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
        });
    }
}
