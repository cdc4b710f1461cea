package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.Run;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Real drills of both languages, and the verdicts that Python made of them. */
class KeptRunsTest {

    private static final Path RUNS = Path.of("src/test/resources/runs");

    @ParameterizedTest
    @MethodSource("runs")
    void a_real_drill_has_pythons_figures_and_is_never_greener(String name, @TempDir Path folder) throws IOException {
        unpack(RUNS.resolve(name), folder);
        Map<String, Object> python =
                Contract.json(Files.readString(RUNS.resolve(name).resolve("verdict.json")));
        VerdictTest.assertAgreement(Judge.judge(RunLoader.load(folder)), python);
    }

    /** Without the accounting, which only the report has, the jar decides these by itself. */
    @ParameterizedTest
    @CsvSource({
        "backend-kill, INCONCLUSIVE",
        "haproxy-drain, INCONCLUSIVE",
        "haproxy-kill-busy, MEASURED",
        "haproxy-kill-jmeter, MEASURED",
        "haproxy-reload, MEASURED",
        "keepalived-kill, FAILED",
        "nginx-kill, MEASURED",
        "node-down, MEASURED",
        "partition, FAILED"
    })
    void a_target_with_other_traffic_has_this_word(String name, String status, @TempDir Path folder)
            throws IOException {
        unpack(RUNS.resolve(name), folder);
        RunData data = RunLoader.load(folder);
        Run run = data.run();
        Tree shared = run.tree().child("target").with("dedicated", false);
        assertThat(Judge.judge(data.with(run.with("target", shared))).status().text())
                .isEqualTo(status);
    }

    static Stream<Named<Map<String, Object>>> flaws() {
        return Contract.plain("flaws.json", "files");
    }

    @ParameterizedTest
    @MethodSource("flaws")
    void a_run_without_seals_is_held_against_what_it_counted_as_in_python(
            Map<String, Object> vector, @TempDir Path folder) throws IOException {
        unpack(RUNS.resolve((String) vector.get("run")), folder);
        Path path = folder.resolve(((String) vector.get("file")).replace("prober", "metronome"));
        byte[] data = Files.readAllBytes(path);
        if (vector.get("keep_bytes") instanceof Long kept) {
            data = Arrays.copyOf(data, kept.intValue());
        } else {
            int place = ((Long) vector.get("blank_from")).intValue();
            Arrays.fill(data, place, place + 20, (byte) ' ');
        }
        Files.write(path, data);
        RunData found = RunLoader.load(folder);
        Verdict verdict = Judge.judge(found);
        assertThat(verdict.status().text()).isEqualTo(vector.get("verdict"));
        List<String> texts =
                found.flaws().stream().map(flaw -> flaw.reason().text()).toList();
        // Kept runs have the former name of the prober's journal.
        assertThat(texts)
                .map(text -> text.replace("journal-metronome", "journal-prober"))
                .isEqualTo(vector.get("flaws"));
        assertThat(verdict.reasonTexts()).containsAll(texts);
        assertThat(verdict.limits())
                .filteredOn(result -> result.name().equals("split-brain"))
                .extracting(result -> (Object) result.state().text())
                .isEqualTo(List.of(vector.get("split_brain_limit")));
        assertThat(verdict.figures().has("outage")).isEqualTo(vector.get("has_outage"));
    }

    static List<String> runs() {
        List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(RUNS, Files::isDirectory)) {
            found.forEach(run -> names.add(run.getFileName().toString()));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        names.sort(null);
        return names;
    }

    private static void unpack(Path run, Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(run, Files::isRegularFile)) {
            for (Path file : files) {
                String name = file.getFileName().toString();
                try (InputStream stream = Files.newInputStream(file);
                        InputStream text = name.endsWith(".gz") ? new GZIPInputStream(stream) : stream) {
                    Files.copy(text, folder.resolve(name.replaceFirst("\\.gz$", "")));
                }
            }
        }
    }
}
