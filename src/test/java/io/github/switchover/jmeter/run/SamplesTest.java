package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.VectorSource;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.run.Lines.Ignored;
import io.github.switchover.jmeter.run.SampleReader.CsvRow;
import io.github.switchover.jmeter.run.SampleWriter.SampleFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SamplesTest {

    private static final Sample GOOD = Vectors.sample(1_000, 2_000, 500L, null, "fresh");

    @TempDir
    private Path folder;

    @Test
    void header_is_the_agreed_one() {
        assertThat(SampleFormat.HEADER).isEqualTo(Contract.file("samples.json").get("header"));
        assertThat(SampleFormat.COLUMNS).hasSize(27);
    }

    @ParameterizedTest
    @VectorSource(file = "samples.json", table = "write")
    void sample_is_written_as_agreed(Map<String, Object> vector) {
        assertThat(SampleFormat.row(Vectors.sample(Contract.map(vector.get("sample")))))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(vector.get("line") + "\n");
    }

    /** All of it but the first-byte and connect times, which the log holds in milliseconds. */
    @ParameterizedTest
    @VectorSource(file = "samples.json", table = "write")
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
                .hasMessageMatching(".*samples\\.jtl is no sample log.*");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "a,,b; a||b",
                "a,; a|",
                "\"a,\"\"b\"\"\",c; a,\"b\"|c",
                "\"\",b; |b",
                "\"a\"b,c;",
                "\"a,b;",
                "\"a\",\"b\"; a|b"
            })
    void a_row_is_split_unless_a_quote_is_misplaced(String row, String fields) {
        assertThat(CsvRow.split(row)).isEqualTo(fields == null ? null : List.of(fields.split("\\|", -1)));
    }

    @Test
    void empty_log_of_a_writer_that_was_killed_has_no_samples() throws IOException {
        assertThat(read(Files.createFile(folder.resolve("samples.jtl")), new Ignored()))
                .isEmpty();
    }

    @Test
    void log_has_its_header_before_the_first_sample() {
        Path path = folder.resolve("samples.jtl");
        new SampleWriter(path).close();
        assertThat(path).hasContent(SampleFormat.HEADER + "\n");
    }

    @Test
    void a_writer_holds_back_a_limited_number_of_rows() throws IOException {
        try (SampleWriter writer = new SampleWriter(folder.resolve("samples.jtl"))) {
            for (int rows = 1; rows < SampleWriter.BUFFERED_ROWS; rows++) {
                writer.write(GOOD);
            }
            assertThat(Files.readAllLines(writer.path())).hasSize(1);
            writer.write(GOOD);
            assertThat(Files.readAllLines(writer.path())).hasSize(1 + SampleWriter.BUFFERED_ROWS);
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
}
