package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.run.Journal.JournalReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JournalTest {

    @TempDir
    private Path folder;

    @Test
    void every_point_has_the_journals_tags() {
        Journal journal = new Journal(folder.resolve("journal.lp"), Map.of("run", "r1", "worker", ""));
        try (journal) {
            journal.write("m", Map.of("node", "lb1"), Map.of("a", FieldValue.of(1)), 5);
            journal.write("m", Map.of(), Map.of("a", FieldValue.of(Double.NaN)), 6);
            journal.event(EventKind.FAULT, "haproxy-kill\nfired", 7, "lb1", "1");
            journal.event(EventKind.END, "over", 8);
            assertThat(journal.path()).hasContent("""
                            m,node=lb1,run=r1 a=1i 5
                            switchover_event,id=1,kind=fault,node=lb1,run=r1 text="haproxy-kill\\nfired" 7
                            switchover_event,kind=end,run=r1 text="over" 8
                            """);
            assertThat(journal.warning()).isNull();
        }
        journal.event(EventKind.END, "after the close", 9);
        assertThat(journal.seal().bytes()).isEqualTo(journal.path().toFile().length());
        assertThat(journal.path()).content().endsWith("\"over\" 8\n");
    }

    @Test
    void points_of_all_files_come_in_order_of_time_and_the_last_of_the_same_wins() throws IOException {
        JournalReader reader = new JournalReader(point -> point.measurement().equals("m") ? point : null);
        assertThat(reader.read(Files.writeString(folder.resolve("1"), "m,a=1 v=1i 20\nm,a=1 v=2i 10\r\n")))
                .isTrue();
        assertThat(reader.read(Files.writeString(folder.resolve("2"), "m,a=1 v=3i 20\nm,a=2 v=4i 10\no v=5i 1\n")))
                .isTrue();
        assertThat(reader.points())
                .containsExactly(
                        new Point("m", Map.of("a", "1"), Map.of("v", FieldValue.of(2)), 10),
                        new Point("m", Map.of("a", "2"), Map.of("v", FieldValue.of(4)), 10),
                        new Point("m", Map.of("a", "1"), Map.of("v", FieldValue.of(3)), 20));
    }

    @ParameterizedTest
    @ValueSource(strings = {"m v=1i 1\nm v=", "m v=1i 1\nfrob\n", "m v=1i 1\nm v=\u00ff 1\n"})
    void a_journal_with_a_line_that_is_no_whole_point_is_not_used(String text) throws IOException {
        JournalReader reader = new JournalReader(point -> point);
        Path path = Files.write(folder.resolve("journal.lp"), text.getBytes(StandardCharsets.ISO_8859_1));
        assertThat(reader.read(path)).isFalse();
        assertThat(reader.points()).isEmpty();
    }

    @Test
    void many_threads_write_whole_lines() {
        try (Journal journal = new Journal(folder.resolve("journal.lp"), Map.of("run", "r1"))) {
            IntStream.range(0, 2_000)
                    .parallel()
                    .forEach(n -> journal.write("m", Map.of(), Map.of("v", FieldValue.of(n)), n));
        }
        assertThat(points(folder.resolve("journal.lp"))).hasSize(2_000);
    }

    @Test
    void full_disk_is_counted_and_warned_of_but_never_thrown() {
        try (Journal journal = new Journal(Path.of("/dev/full"), Map.of("run", "r1"))) {
            journal.event(EventKind.WARNING, "x", 1);
            assertThat(journal.warning()).contains("No space left on device");
        }
    }

    private List<Point> points(Path path) {
        JournalReader reader = new JournalReader(point -> point);
        assertThat(reader.read(path)).isTrue();
        return reader.points();
    }
}
