package io.github.switchover.jmeter.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SamplesTest {

    private static final Sample GOOD = Vectors.sample(1_000, 2_000, 500L, null, "fresh");
    private static final String TRICKY = "ab,\"\n\r\té😀 ;";

    @TempDir
    private Path folder;

    @Test
    void header_is_the_agreed_one() {
        assertThat(SampleFormat.HEADER).isEqualTo(Contract.file("samples.json").get("header"));
        assertThat(SampleFormat.COLUMNS).hasSize(27);
    }

    @ParameterizedTest
    @MethodSource("written")
    void sample_is_written_as_agreed(Map<String, Object> vector) {
        assertThat(SampleFormat.row(Vectors.sample(Contract.map(vector.get("sample"))), new RowBytes()))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(vector.get("line") + "\n");
    }

    /** All of it but the first-byte and connect times, which the log holds in milliseconds. */
    @ParameterizedTest
    @MethodSource("written")
    void written_sample_is_read_back(Map<String, Object> vector) {
        Map<String, Object> values = new HashMap<>(Contract.map(vector.get("sample")));
        Path path = write(Vectors.sample(values));
        long startUs = Vectors.whole(values.get("start_us"));
        for (String name : List.of("latency_us", "connect_us")) {
            long cutMs = Math.floorDiv(startUs + Vectors.whole(values.get(name)), 1000) - Math.floorDiv(startUs, 1000);
            values.put(name, cutMs * 1000);
        }
        assertThat(read(path, new Ignored())).containsExactly(Vectors.sample(values));
    }

    @ParameterizedTest
    @MethodSource("logs")
    void log_is_read_as_agreed(Map<String, Object> vector) throws IOException {
        Path path = Files.writeString(folder.resolve("samples.jtl"), (String) vector.get("text"));
        Ignored ignored = new Ignored();
        List<Sample> expected = ((List<?>) vector.get("samples"))
                .stream().map(Contract::map).map(Vectors::sample).toList();
        assertThat(read(path, ignored)).isEqualTo(expected);
        assertThat(ignored.reasons()).isEqualTo(vector.get("ignored"));
    }

    @ParameterizedTest
    @MethodSource("headless")
    void file_without_a_header_of_jtl_is_one_clear_line(String text) throws IOException {
        Path path = Files.writeString(folder.resolve("samples.jtl"), text);
        assertThatThrownBy(() -> read(path, new Ignored()))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessageMatching(".*samples\\.jtl (is no sample log|has no header line).*");
    }

    @Test
    void log_has_its_header_before_the_first_sample() {
        Path path = folder.resolve("samples.jtl");
        new SampleWriter(path).close();
        assertThat(path).hasContent(SampleFormat.HEADER + "\n");
    }

    @Test
    void samples_are_in_the_file_after_a_flush() {
        try (SampleWriter writer = new SampleWriter(folder.resolve("samples.jtl"))) {
            writer.write(GOOD);
            assertThat(read(writer.path(), new Ignored())).isEmpty();
            writer.flush();
            assertThat(read(writer.path(), new Ignored())).hasSize(1);
        }
    }

    @Test
    void buffer_is_bounded_without_a_flush() {
        try (SampleWriter writer = new SampleWriter(folder.resolve("samples.jtl"))) {
            for (int n = 0; n < 10_000; n++) {
                writer.write(GOOD);
            }
            assertThat(10_000 - read(writer.path(), new Ignored()).size()).isLessThan(SampleWriter.BUFFERED_ROWS);
        }
    }

    @Test
    void second_writer_continues_the_file_with_one_header() {
        write(GOOD);
        Ignored ignored = new Ignored();
        assertThat(read(write(GOOD), ignored)).hasSize(2);
        assertThat(ignored.total()).isZero();
    }

    @Test
    void full_disk_is_counted_and_warned_of_but_never_thrown() {
        SampleWriter writer = new SampleWriter(Path.of("/dev/full"));
        for (int n = 0; n < 3; n++) {
            writer.write(GOOD);
            writer.flush();
        }
        writer.close();
        assertThat(writer.lost()).isEqualTo(3);
        assertThat(writer.warning()).contains("/dev/full: No space left on device");
    }

    @Test
    void huge_number_is_counted_not_thrown() throws IOException {
        Path path = Files.writeString(
                folder.resolve("samples.jtl"),
                "timeStamp,elapsed,success\n" + "9".repeat(5000) + ",1,true\n" + "9".repeat(30)
                        + ",1,true\n1,-999999999999999999999,true\n1,1,true\n");
        Ignored ignored = new Ignored();
        assertThat(read(path, ignored)).hasSize(1);
        assertThat(ignored.reasons()).isEqualTo(Map.of("a number cannot be read", 3L));
    }

    @Test
    void whatever_a_text_holds_it_is_read_back() throws IOException {
        Random random = new Random(19);
        Map<String, Object> usual =
                Contract.map(written().findFirst().orElseThrow().getPayload().get("sample"));
        for (int round = 0; round < 200; round++) {
            Map<String, Object> values = new HashMap<>(usual);
            for (String name : List.of("label", "message", "thread", "backend", "url")) {
                values.put(name, tricky(random));
            }
            values.putAll(Map.of("latency_us", 0L, "connect_us", 0L, "start_us", 1_000L, "end_us", 2_000L));
            Sample sample = Vectors.sample(values);
            Path path = write(sample, GOOD);
            assertThat(read(path, new Ignored())).containsExactly(sample, GOOD);
            Files.delete(path);
        }
    }

    @Test
    void damage_never_throws_and_never_hides_the_rows_around_it() throws IOException {
        Random random = new Random(23);
        byte[] alphabet = "\"\",\n\r1\u0000true".getBytes(StandardCharsets.UTF_8);
        byte[] row = SampleFormat.row(GOOD, new RowBytes());
        for (int round = 0; round < 300; round++) {
            ByteArrayOutputStream content = new ByteArrayOutputStream();
            content.writeBytes((SampleFormat.HEADER + '\n').getBytes(StandardCharsets.UTF_8));
            content.writeBytes(row);
            for (int n = random.nextInt(60); n > 0; n--) {
                content.write(random.nextInt(8) == 0 ? random.nextInt(256) : alphabet[random.nextInt(alphabet.length)]);
            }
            content.write('\n');
            content.writeBytes(row);
            content.writeBytes(row);
            Path path = Files.write(folder.resolve("damaged.jtl"), content.toByteArray());
            assertThat(read(path, new Ignored()).size()).isGreaterThanOrEqualTo(3);
        }
    }

    static Stream<Named<Map<String, Object>>> written() {
        return Contract.plain("samples.json", "write");
    }

    static Stream<Named<Map<String, Object>>> logs() {
        // Words of other programs: only "switchover report" reads their logs.
        return Contract.plain("samples.json", "read")
                .filter(vector -> !vector.getName().contains("other programs"));
    }

    static Stream<String> headless() {
        return ((List<?>) Contract.file("samples.json").get("no_header"))
                .stream().map(String.class::cast);
    }

    private Path write(Sample... samples) {
        try (SampleWriter writer = new SampleWriter(folder.resolve("samples.jtl"))) {
            for (Sample sample : samples) {
                writer.write(sample);
            }
            return writer.path();
        }
    }

    private static List<Sample> read(Path path, Ignored ignored) {
        List<Sample> samples = new ArrayList<>();
        try (SampleReader reader = new SampleReader(path, ignored)) {
            reader.forEachRemaining(samples::add);
        }
        return samples;
    }

    private static String tricky(Random random) {
        StringBuilder text = new StringBuilder();
        int[] characters = TRICKY.codePoints().toArray();
        random.ints(random.nextInt(10), 0, characters.length).forEach(i -> text.appendCodePoint(characters[i]));
        return text.toString();
    }
}
