package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalTest {

    @TempDir
    private Path folder;

    private final Ignored ignored = new Ignored();

    @Test
    void every_point_has_the_journals_tags() {
        try (Journal journal = new Journal(folder.resolve("journal.lp"), Map.of("run", "r1", "worker", ""))) {
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
    }

    @Test
    void points_of_all_files_come_in_order_of_time_and_the_last_of_the_same_wins() throws IOException {
        Path one = Files.writeString(folder.resolve("journal.lp"), "m,a=1 v=1i 20\nm,a=1 v=2i 10\r\nm v=");
        Path two = Files.writeString(folder.resolve("journal-2.lp"), "m,a=1 v=3i 20\nm,a=2 v=4i 10\nother v=5i 1\n");
        JournalReader reader =
                new JournalReader(ignored, point -> point.measurement().equals("m") ? point : null);
        reader.read(one, List.of());
        reader.read(two, List.of());
        assertThat(reader.points())
                .containsExactly(
                        new Point("m", Map.of("a", "1"), Map.of("v", FieldValue.of(2)), 10),
                        new Point("m", Map.of("a", "2"), Map.of("v", FieldValue.of(4)), 10),
                        new Point("m", Map.of("a", "1"), Map.of("v", FieldValue.of(3)), 20));
        assertThat(ignored.reasons()).isEqualTo(Map.of("last line cut off", 1L));
    }

    @Test
    void bytes_that_are_no_text_are_counted() throws IOException {
        Path path = Files.write(folder.resolve("journal.lp"), new byte[] {'m', ' ', 'v', '=', -1, '\n'});
        assertThat(points(path)).isEmpty();
        assertThat(ignored.reasons()).isEqualTo(Map.of("not a point", 1L));
    }

    @Test
    void many_threads_write_whole_lines() {
        try (Journal journal = new Journal(folder.resolve("journal.lp"), Map.of("run", "r1"))) {
            IntStream.range(0, 2_000)
                    .parallel()
                    .forEach(n -> journal.write("m", Map.of(), Map.of("v", FieldValue.of(n)), n));
        }
        assertThat(points(folder.resolve("journal.lp"))).hasSize(2_000);
        assertThat(ignored.total()).isZero();
    }

    @Test
    void full_disk_is_counted_and_warned_of_but_never_thrown() {
        try (Journal journal = new Journal(Path.of("/dev/full"), Map.of("run", "r1"))) {
            journal.event(EventKind.WARNING, "x", 1);
            assertThat(journal.warning()).contains("No space left on device");
        }
    }

    private List<Point> points(Path path) {
        JournalReader reader = new JournalReader(ignored, point -> point);
        reader.read(path, List.of());
        return reader.points();
    }
}
