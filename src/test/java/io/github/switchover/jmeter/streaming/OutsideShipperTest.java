package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lab that follows for those inside is asked to; the lab is staged here, and real in the tests of Python. */
class OutsideShipperTest {

    private static final StreamSettings SETTINGS = new StreamSettings(
            InfluxAddress.of("http://127.0.0.1:1?org=o&bucket=b"), new InfluxCredentials("s3cret", "", ""), 60);

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
                .containsEntry("wait_s", 60.0);
        assertThat(spec.get("credentials")).isEqualTo(Map.of("token", "s3cret", "user", "", "password", ""));
    }

    @Test
    void why_it_failed_is_said_and_an_account_without_a_reason_has_none() throws Exception {
        CompletableFuture<List<String>> told = lab("""
                {"error": "it cannot follow"}
                {}
                {"account": {"points": 5, "refused": 0, "left": 2}}
                """);
        StreamedPoints streamed =
                Streaming.start(place, SETTINGS, place, warnings::add).finish();
        assertThat(streamed).isEqualTo(new StreamedPoints(SETTINGS.address().url(), 5, 0, 2, ""));
        assertThat(warnings).containsExactly("it cannot follow");
        told.get();
    }

    @Test
    void one_that_dies_leaves_what_the_files_say() throws Exception {
        CompletableFuture<List<String>> told = lab("");
        String line = "m v=1i 1700000000000000000\n";
        Files.writeString(place.resolve("journal.lp"), line.repeat(5));
        new SentMark(SETTINGS.address().url(), 3L * line.length(), 2, 1).save(place.resolve("journal.lp"));
        Streaming streaming = Streaming.start(place, SETTINGS, place, warnings::add);
        assertThat(streaming.finish())
                .isEqualTo(new StreamedPoints(SETTINGS.address().url(), 2, 1, 2, ""));
        told.get();
    }

    @Test
    void one_that_says_nothing_is_not_waited_for_without_end() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        CompletableFuture<List<String>> told = lab(channel -> over.await());
        Files.writeString(place.resolve("journal.lp"), "m v=1i 1700000000000000000\n");
        StreamSettings settings = new StreamSettings(SETTINGS.address(), SETTINGS.credentials(), 0);
        Streaming streaming = Streaming.start(place, settings, place, warnings::add);
        assertThat(streaming.finish().left()).isEqualTo(1);
        Ours.areGone();
        over.countDown();
        told.get();
    }

    @Test
    void its_last_word_is_waited_for_also_where_nothing_else_is() throws Exception {
        CompletableFuture<List<String>> told = lab("{\"account\": {\"points\": 5, \"refused\": 0, \"left\": 2}}\n");
        StreamSettings settings = new StreamSettings(SETTINGS.address(), SETTINGS.credentials(), 0);
        Streaming streaming = Streaming.start(place, settings, place, warnings::add);
        assertThat(streaming.finish())
                .isEqualTo(new StreamedPoints(SETTINGS.address().url(), 5, 0, 2, ""));
        told.get();
    }

    @Test
    void one_that_was_closed_leaves_what_the_files_say() throws Exception {
        CompletableFuture<List<String>> told = lab("");
        Streaming streaming = Streaming.start(place, SETTINGS, place, warnings::add);
        streaming.close();
        assertThat(streaming.finish())
                .isEqualTo(new StreamedPoints(SETTINGS.address().url(), 0, 0, 0, ""));
        told.get();
    }

    @Test
    void of_a_run_directory_that_cannot_be_read_nothing_is_known() {
        assertThat(JournalCounts.byFiles(place.resolve("gone"), "x")).isEqualTo(new StreamedPoints("x", 0, 0, 0, ""));
    }

    @Test
    void one_that_hangs_up_before_it_has_heard_all_leaves_no_connection() throws Exception {
        String more = "x".repeat(1_000_000); // than fits into a socket
        InfluxAddress address = InfluxAddress.of("http://127.0.0.1:1?bucket=" + more);
        StreamSettings settings = new StreamSettings(address, SETTINGS.credentials(), 60);
        startInVain(settings); // what Java itself opens the first time stays
        long before = Ours.sockets();
        startInVain(settings);
        assertThat(Ours.sockets()).isLessThanOrEqualTo(before);
    }

    private void startInVain(StreamSettings settings) throws Exception {
        ServerSocketChannel listener = listen();
        CompletableFuture<Void> hungUp = CompletableFuture.runAsync(() -> {
            try (listener) {
                listener.accept().close();
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            }
        });
        Path socket = place.resolve(OutsideShipper.SOCKET);
        assertThatThrownBy(() -> OutsideShipper.start(socket, place, settings, warnings::add))
                .isInstanceOf(IOException.class);
        hungUp.get();
        Files.delete(socket);
    }

    @Test
    void without_a_lab_it_is_followed_from_here() {
        try (Streaming streaming = Streaming.start(place, SETTINGS, null, warnings::add)) {
            assertThat(streaming).isInstanceOf(Shipper.class);
        }
    }

    @Test
    void where_nobody_listens_it_is_followed_from_here() throws IOException {
        Files.createFile(place.resolve("follow.sock"));
        try (Streaming streaming = Streaming.start(place, SETTINGS, place, warnings::add)) {
            assertThat(streaming).isInstanceOf(Shipper.class);
        }
    }

    /** What a lab does once it has heard everything. */
    private interface LastWord {
        void say(SocketChannel channel) throws IOException, InterruptedException;
    }

    private ServerSocketChannel listen() throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        listener.bind(UnixDomainSocketAddress.of(place.resolve("follow.sock")));
        return listener;
    }

    private CompletableFuture<List<String>> lab(String answer) throws IOException {
        return lab(channel -> channel.write(ByteBuffer.wrap(answer.getBytes(StandardCharsets.UTF_8))));
    }

    /** Hears everything, answers, and hangs up; the lines that it was told. */
    private CompletableFuture<List<String>> lab(LastWord lastWord) throws IOException {
        ServerSocketChannel listener = listen();
        return CompletableFuture.supplyAsync(() -> {
            List<String> told = new ArrayList<>();
            try (listener;
                    SocketChannel channel = listener.accept();
                    BufferedReader lines = new BufferedReader(
                            new InputStreamReader(Channels.newInputStream(channel), StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    told.add(line);
                }
                lastWord.say(channel);
                return told;
            } catch (IOException error) {
                throw new java.io.UncheckedIOException(error);
            } catch (InterruptedException error) {
                throw new IllegalStateException(error);
            }
        });
    }
}
