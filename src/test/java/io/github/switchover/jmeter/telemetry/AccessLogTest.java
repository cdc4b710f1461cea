package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a log grew by during a run, or why that is not known. */
class AccessLogTest {

    private static final String LINE =
            "1795233377.125 198.18.0.11 - - [21/Nov/2026:03:56:17 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"-\"\n";

    @TempDir
    Path place;

    static Stream<Named<JsonObject>> lines() {
        return Contract.named("telemetry.json", "log_lines");
    }

    static Stream<Named<JsonObject>> logs() {
        return Contract.named("telemetry.json", "access_logs");
    }

    @ParameterizedTest
    @MethodSource("lines")
    void a_line_is_read_as_agreed(JsonObject vector) {
        LogRecord found = LogRecord.of(vector.get("line").getAsString().getBytes(StandardCharsets.UTF_8));
        JsonElement wanted = vector.get("record");
        List<Object> record = found == null
                ? null
                : List.of(found.timeUs(), found.remote(), found.status(), found.nbytes(), found.method(), found.path());
        assertThat(new Gson().toJsonTree(record)).isEqualTo(wanted);
    }

    @ParameterizedTest
    @MethodSource("logs")
    void what_a_log_grew_by_is_counted_and_kept_as_agreed(JsonObject vector) throws IOException {
        JsonElement before = vector.get("before");
        for (boolean file : before.isJsonNull() ? List.of(true) : List.of(true, false)) {
            Path directory = Files.createDirectory(place.resolve(file ? "file" : "command"));
            Path log = directory.resolve("access.log");
            if (!before.isJsonNull()) {
                Files.writeString(log, before.getAsString());
            }
            AccessLog watched = watched(file ? new Source.LogFile(log.toString()) : command("cat", log.toString()));
            append(log, vector.get("added").getAsString());
            AccessLogCount count = watched.finish(directory);
            assertThat(Json.tree(count.facts())).isEqualTo(vector.get("facts"));
            assertThat(count.isKept()).isTrue();
            assertThat(Files.readString(directory.resolve("access-web1.csv")))
                    .isEqualTo(vector.get("table").getAsString());
        }
    }

    @Test
    void a_log_that_became_shorter_or_was_replaced_gives_a_warning_and_no_figure() throws IOException {
        Path log = Files.writeString(place.resolve("access.log"), LINE.repeat(10));
        AccessLog shorter = watched(new Source.LogFile(log.toString()));
        Files.writeString(log, LINE);
        assertUnknown(shorter, "truncated or replaced in the middle of the run");
        AccessLog other = watched(command("cat", log.toString()));
        Files.writeString(log, LINE.replace("200", "201").repeat(20));
        assertUnknown(other, "truncated or replaced in the middle of the run");
        AccessLog rotated = watched(new Source.LogFile(log.toString()));
        Files.move(log, place.resolve("access.log.1"));
        Files.writeString(log, LINE.repeat(30));
        assertUnknown(rotated, "rotated in the middle of the run");
        AccessLog gone = watched(new Source.LogFile(log.toString()));
        Files.delete(log);
        assertUnknown(gone, "No such file or directory");
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 0})
    @Timeout(20)
    void a_log_that_was_cut_above_its_old_length_and_grew_on_is_noticed(int kept) throws Exception {
        Path log = place.resolve("access.log");
        AccessLog watched = watched(new Source.LogFile(log.toString()));
        append(log, LINE.repeat(100));
        while (watched.seenBytes() < Files.size(log)) {
            Thread.onSpinWait();
        }
        try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
            file.truncate((long) kept * LINE.length());
        }
        append(log, LINE.replace("200", "201").repeat(200));
        assertUnknown(watched, "truncated or replaced in the middle of the run");
    }

    @ParameterizedTest
    @ValueSource(longs = {3_600_000_000L, -3_600_000_000L})
    void a_clock_that_is_set_leaves_no_line_outside_of_the_run(long setByUs) {
        RunTimes times = new RunTimes(5, 5 - setByUs, new Span(1_000_000_000_000L, 1_000_030_000_000L));
        long writtenUs = 1_000_010_000_000L;
        assertThat(times.of(writtenUs - 5)).isEqualTo(writtenUs);
        assertThat(times.of(writtenUs - 5 + setByUs)).isEqualTo(writtenUs);
    }

    @Test
    void what_is_no_log_gives_a_warning() throws IOException {
        assertUnknown(watched(command("sh", "-c", "echo no route >&2; exit 255")), "could not be read at the start");
        assertUnknown(watched(new Source.LogFile(place.toString())), "Is a directory");
        Path log = place.resolve("access.log");
        AccessLog endless = watched(new Source.LogFile(log.toString()));
        Files.writeString(log, "x".repeat(3_000_000));
        assertUnknown(endless, "endless line");
    }

    @Test
    void a_directory_that_takes_nothing_costs_the_table_and_not_the_count() throws IOException {
        Path log = place.resolve("access.log");
        AccessLog watched = watched(new Source.LogFile(log.toString()));
        Files.writeString(log, LINE);
        AccessLogCount count = watched.finish(place.resolve("nowhere"));
        assertThat(count.facts().lines()).isEqualTo(1);
        assertThat(count.facts().warning()).startsWith("cannot write ").endsWith("No such file or directory");
    }

    @Test
    void times_are_on_the_clock_of_the_run_where_the_node_shares_it() throws IOException {
        Path log = place.resolve("access.log");
        RunClock ahead = new RunClock(RunClock.ofProcess().anchorNs() + 3_600_000_000_000L);
        AccessLog watched = new AccessLog(node(new Source.LogFile(log.toString()), true), ahead);
        watched.begin();
        Files.writeString(log, LINE);
        watched.finish(place);
        String row = Files.readAllLines(place.resolve("access-web1.csv")).get(1);
        assertThat(Long.parseLong(row.substring(0, row.indexOf(','))))
                .isBetween(1_795_236_977_124_000L, 1_795_236_977_126_000L);
    }

    @Test
    void no_line_is_too_much_for_it() {
        String head = "1.2.3.4 - - [21/Nov/2026:05:26:17 +0130] \"";
        assertThat(parse(head + "\\x".repeat(8192) + "\" 400 9")).isNotNull();
        assertThat(parse(head + "\\x".repeat(8193) + "\" 400 9")).isNull();
        assertThat(parse(head + "\\x".repeat(30_000))).isNull();
        Random random = new Random(1);
        for (int i = 0; i < 2000; i++) {
            byte[] garbage = new byte[random.nextInt(200)];
            random.nextBytes(garbage);
            byte[] line = (LINE.substring(0, random.nextInt(LINE.length()))
                            + new String(garbage, StandardCharsets.ISO_8859_1))
                    .getBytes(StandardCharsets.ISO_8859_1);
            LogRecord.of(line);
        }
    }

    @Test
    void remotes_without_end_are_others() throws IOException {
        Path log = place.resolve("access.log");
        AccessLog watched = watched(new Source.LogFile(log.toString()));
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < LogCounter.REMOTES_LIMIT + 10; i++) {
            text.append(LINE.replace("198.18.0.11", "10.0." + i / 256 + "." + i % 256));
        }
        Files.writeString(log, text);
        assertThat(watched.finish(place).facts().byRemote())
                .hasSize(LogCounter.REMOTES_LIMIT + 1)
                .containsEntry("other", 10L);
    }

    private void assertUnknown(AccessLog watched, String reason) {
        AccessLogCount count = watched.finish(place);
        assertThat(count.facts().lines()).isNull();
        assertThat(count.isKept()).isFalse();
        assertThat(count.facts().warning())
                .startsWith("web1: its access log ")
                .contains(" does not count: ")
                .contains(reason);
        assertThat(place.resolve("access-web1.csv")).doesNotExist();
    }

    private static LogRecord parse(String line) {
        return LogRecord.of(line.getBytes(StandardCharsets.UTF_8));
    }

    private static AccessLog watched(Source source) {
        AccessLog log = new AccessLog(node(source, false), RunClock.ofProcess());
        log.begin();
        return log;
    }

    private static Source command(String... arguments) {
        return new Source.Command(List.of(arguments));
    }

    private static Node node(Source accessLog, boolean shared) {
        Node.NodeSources sources = new Node.NodeSources(null, null, accessLog, List.of(), null, null, shared);
        return new Node("web1", Node.Role.BACKEND, null, null, sources, null, null);
    }

    private static void append(Path log, String text) throws IOException {
        Files.writeString(log, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
