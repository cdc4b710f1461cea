package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.VerdictFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Real drills of both languages, and the verdicts that Python made of them. */
class KeptRunsTest {

    private static final Path RUNS = Path.of("src/test/resources/runs");

    @ParameterizedTest
    @MethodSource("runs")
    void a_real_drill_has_the_figures_that_python_finds(String name, @TempDir Path folder) throws IOException {
        unpack(RUNS.resolve(name), folder);
        Verdict python = VerdictFile.parse(Files.readString(RUNS.resolve(name).resolve("verdict.json")));
        Verdict verdict = Judge.judge(RunLoader.load(folder));
        assertThat(verdict.word()).isEqualTo(python.word());
        assertThat(verdict.exitCode()).isEqualTo(python.exitCode());
        assertThat(verdict.outage()).isEqualTo(python.outage());
        assertThat(verdict.failback()).isEqualTo(python.failback());
        assertThat(verdict.probes()).isEqualTo(python.probes());
        assertThat(verdict.samples()).isEqualTo(python.samples());
        assertThat(verdict.owners()).isEqualTo(python.owners());
        assertThat(verdict.service().effect()).isEqualTo(python.service().effect());
        assertThat(verdict.service().wholeness()).isEqualTo(python.service().wholeness());
        assertThat(verdict.distribution().byPhase())
                .isEqualTo(python.distribution().byPhase());
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
