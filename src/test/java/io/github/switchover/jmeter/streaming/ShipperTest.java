package io.github.switchover.jmeter.streaming;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.drill.Ours;
import io.github.switchover.jmeter.http.ReservedPort;
import io.github.switchover.jmeter.streaming.Shipper.StreamedPoints;
import io.github.switchover.jmeter.streaming.StagedDatabase.Reply;
import io.github.switchover.jmeter.streaming.StagedDatabase.Write;
import io.github.switchover.jmeter.streaming.StreamSettings.InfluxCredentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a database does: every point of a journal arrives, or is known to be left. */
@Timeout(50)
class ShipperTest {

    private static final Shipper.Pace QUICK = new Shipper.Pace(2_000_000, 2_000_000, 20_000_000);
    private static final InfluxCredentials SECRET = new InfluxCredentials("s3cret", "", "");

    /** More than any test needs, on any machine, and more than its timeout. */
    private static final double LONG_S = 60;

    @TempDir
    Path place;

    private final List<String> warnings = new CopyOnWriteArrayList<>();

    @AfterEach
    void nothing_is_left_behind() throws InterruptedException {
        Ours.areGone();
    }

    @Test
    void points_arrive_while_they_are_written_and_from_journals_that_come_later() throws Exception {
        try (StagedDatabase database = new StagedDatabase((self, write) -> StagedDatabase.TAKEN);
                Shipper shipper = follow(database, LONG_S)) {
            write("journal.lp", points(0, 10));
            Until.reached(() -> database.taken().size() == 10);
            write("journal-late.lp", points(10, 20));
            write("journal.lp", points(20, 30));
            write("samples.jtl", points(30, 40));
            Files.createDirectory(place.resolve("journal-unreadable.lp"));
            Until.reached(() -> database.taken().size() == 30);
            StreamedPoints streamed = shipper.finish();
            assertThat(streamed).isEqualTo(new StreamedPoints(database.url(), 30, 0, 0, ""));
            assertThat(streamed.line(place)).isEqualTo("streamed 30 of 30 points");
            assertThat(database.taken()).containsOnlyKeys(points(0, 30)).containsValue(1);
            assertThat(mark("journal.lp")).containsEntry("points", 20L).containsEntry("refused", 0L);
            Write first = database.writes().get(0);
            assertThat(first.path()).isEqualTo("/write?db=drills&precision=ns");
            assertThat(first.headers()).containsEntry("Authorization", List.of("Token s3cret"));
        }
        assertThat(warnings)
                .singleElement()
                .asString()
                .startsWith("cannot read a journal: ")
                .endsWith("; its points are not sent");
    }

    @Test
    void what_is_left_at_the_end_is_sent_before_it_ends() {
        try (StagedDatabase database = new StagedDatabase((self, write) -> StagedDatabase.TAKEN)) {
            write("journal.lp", points(0, 12_001));
            StreamedPoints streamed = follow(database, LONG_S).finish();
            assertThat(streamed.points()).isEqualTo(12_001);
            assertThat(database.writes())
                    .hasSizeBetween(3, 4)
                    .allMatch(write -> write.lines().size() <= 5_000);
            assertThat(database.taken()).hasSize(12_001);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 200, 302, 400, 401, 403, 404, 422, 429, 500, 502, 503})
    void what_is_not_taken_is_sent_again_and_said_once(int status) {
        // 0: not even an answer.
        try (StagedDatabase database =
                new StagedDatabase((self, write) -> self.writes().size() > 3
                        ? StagedDatabase.TAKEN
                        : status == 0 ? null : Reply.of(status, "{\"error\":\"no, Token s3cret\"}"))) {
            write("journal.lp", points(0, 5));
            StreamedPoints streamed = follow(database, LONG_S).finish();
            assertThat(streamed).isEqualTo(new StreamedPoints(database.url(), 5, 0, 0, ""));
            assertThat(database.taken()).containsOnlyKeys(points(0, 5));
            assertThat(warnings)
                    .singleElement()
                    .asString()
                    .startsWith(
                            database.url() + " accepts no points: " + (status == 0 ? "" : status + ": no, Token ***"))
                    .endsWith("; the journal keeps them")
                    .doesNotContain("s3cret");
        }
    }

    @Test
    void a_database_that_comes_up_later_gets_everything() throws Exception {
        write("journal.lp", points(0, 7));
        try (ReservedPort port = new ReservedPort()) {
            String url = "http://127.0.0.1:" + port.number() + "?db=d";
            Shipper shipper = Shipper.start(place, settings(url, LONG_S), warnings::add, QUICK);
            Until.reached(() -> !warnings.isEmpty());
            assertThat(warnings.get(0)).contains("refused");
            try (StagedDatabase database = new StagedDatabase(port.number(), (self, write) -> StagedDatabase.TAKEN)) {
                assertThat(shipper.finish().points()).isEqualTo(7);
                assertThat(database.taken()).containsOnlyKeys(points(0, 7));
            }
        }
        assertThat(warnings).hasSize(1);
    }

    @Test
    void closing_ends_a_request_under_way_and_its_thread() throws Exception {
        try (StagedDatabase database = new StagedDatabase((self, write) -> {
            self.hang();
            return null;
        })) {
            write("journal.lp", points(0, 3));
            Shipper shipper = follow(database, LONG_S);
            Thread thread = thread();
            assertThat(thread.isDaemon()).isTrue();
            Until.reached(() -> !database.writes().isEmpty());
            shipper.close();
            assertThat(hasEnded(thread)).isTrue();
            // One that is not ended takes 10 s.
            assertThat(System.nanoTime() - database.writes().get(0).atNs()).isLessThan(9_000_000_000L);
        }
        assertThat(warnings).isEmpty();
    }

    @Test
    void retries_are_further_and_further_apart_and_the_end_of_the_run_shortens_one_pause() throws Exception {
        try (StagedDatabase database = new StagedDatabase((self, write) -> Reply.of(500, ""))) {
            write("journal.lp", points(0, 1));
            Shipper.Pace pace = new Shipper.Pace(2_000_000, 100_000_000, 60_000_000_000L);
            Shipper shipper = Shipper.start(place, settings(database.url(), 0.5), warnings::add, pace);
            Until.reached(() -> database.writes().size() == 4);
            List<Write> writes = List.copyOf(database.writes());
            for (int n = 1; n < 4; n++) {
                assertThat(writes.get(n).atNs() - writes.get(n - 1).atNs()).isGreaterThan(45_000_000L << n);
            }
            shipper.finish();
            // At once, and 0.1 s and 0.3 s later. The next pause before the end was 0.8 s.
            assertThat(database.writes()).hasSizeBetween(5, 8);
        }
    }

    @Test
    void a_directory_that_cannot_be_read_and_a_defect_are_said() {
        Path gone = place.resolve("gone");
        Shipper.start(gone, settings("http://127.0.0.1:9?db=d", LONG_S), text -> {
                    warnings.add(text);
                    throw new IllegalStateException("no console " + warnings.size());
                })
                .finish();
        assertThat(warnings)
                .startsWith(
                        "cannot read " + gone + ": No such file or directory; its points are not sent",
                        "points are not streamed any more: java.lang.IllegalStateException: no console 1");
    }

    @Test
    void what_is_too_large_is_sent_in_smaller_batches() {
        try (StagedDatabase database =
                new StagedDatabase((self, write) -> size(write) > 50_000 ? Reply.of(413, "") : StagedDatabase.TAKEN)) {
            write("journal.lp", points(0, 8_000));
            StreamedPoints streamed = follow(database, LONG_S).finish();
            assertThat(streamed.points()).isEqualTo(8_000);
            assertThat(database.taken())
                    .hasSize(8_000)
                    .allSatisfy((line, times) -> assertThat(times).isEqualTo(1));
        }
        assertThat(warnings).isEmpty();
    }

    @Test
    void a_line_that_is_refused_is_found_among_those_that_are_not() {
        try (StagedDatabase database =
                new StagedDatabase((self, write) -> write.lines().stream().anyMatch(line -> line.startsWith("bad"))
                        ? Reply.of(400, "{\"error\":\"unable to parse 'bad': invalid\"}")
                        : StagedDatabase.TAKEN)) {
            write("journal.lp", "no point\n".repeat(99) + "no point");
            write("journal.lp", points(0, 40));
            write("journal.lp", "bad v=1i 1700000000000000000");
            write("journal.lp", points(40, 99));
            StreamedPoints streamed = follow(database, LONG_S).finish();
            assertThat(streamed.line(place))
                    .isEqualTo("streamed 99 of 200 points, 101 refused (400: unable to parse 'bad': invalid)");
            assertThat(database.taken()).containsOnlyKeys(points(0, 99));
            assertThat(warnings)
                    .containsExactly(database.url() + " refuses some points: 400: unable to parse 'bad': invalid");
        }
    }

    @Test
    void what_a_database_says_that_it_dropped_is_refused() {
        String dropped = "{\"message\":\"partial write: field type conflict dropped=2\"}";
        try (StagedDatabase database = new StagedDatabase((self, write) -> Reply.of(422, dropped))) {
            write("journal.lp", points(0, 9));
            assertThat(follow(database, LONG_S).finish())
                    .isEqualTo(new StreamedPoints(
                            database.url(), 7, 2, 0, "422: partial write: field type conflict dropped=2"));
        }
    }

    @Test
    void a_database_that_hangs_is_waited_for_no_longer_than_asked_and_the_rest_is_named() {
        try (StagedDatabase database = new StagedDatabase((self, write) -> {
            self.hang();
            return null;
        })) {
            write("journal.lp", points(0, 1_234));
            StreamedPoints streamed = follow(database, 0.05).finish();
            assertThat(streamed.left()).isEqualTo(1_234);
            assertThat(streamed.line(Path.of("runs/x")))
                    .startsWith("streamed 0 of 1,234 points")
                    .endsWith(": 'switchover influx upload runs/x' sends the rest");
        }
    }

    @Test
    void who_comes_next_goes_on_where_the_last_one_stopped() {
        try (StagedDatabase database = new StagedDatabase((self, write) -> StagedDatabase.TAKEN)) {
            write("journal.lp", points(0, 5));
            follow(database, LONG_S).finish();
            write("journal.lp", points(5, 8));
            assertThat(follow(database, LONG_S).finish().points()).isEqualTo(8);
            assertThat(database.taken()).hasSize(8).containsValue(1).doesNotContainValue(2);
        }
        try (StagedDatabase another = new StagedDatabase((self, write) -> StagedDatabase.TAKEN)) {
            follow(another, LONG_S).finish();
            assertThat(another.taken()).hasSize(8);
        }
    }

    /** Of the shipper that a test has started. */
    private static Thread thread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("switchover influx"))
                .findFirst()
                .orElseThrow();
    }

    /** Or does now: it has nothing left to do. */
    private static boolean hasEnded(Thread thread) throws InterruptedException {
        thread.join(60_000);
        return !thread.isAlive();
    }

    private Shipper follow(StagedDatabase database, double waitS) {
        return Shipper.start(place, settings(database.url(), waitS), warnings::add, QUICK);
    }

    private static StreamSettings settings(String url, double waitS) {
        return new StreamSettings(InfluxAddress.of(url), SECRET, waitS);
    }

    private void write(String name, String... lines) {
        try {
            Files.writeString(
                    place.resolve(name),
                    java.util.Arrays.stream(lines).collect(Collectors.joining("\n", "", "\n")),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }

    private Map<String, Object> mark(String journal) throws IOException {
        return Contract.json(Files.readString(place.resolve(journal + ".sent")));
    }

    private static String[] points(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> "m,run=r v=" + i + "i " + (1_700_000_000_000_000_000L + i))
                .toArray(String[]::new);
    }

    private static int size(Write write) {
        return write.lines().stream().mapToInt(line -> line.length() + 1).sum();
    }
}
