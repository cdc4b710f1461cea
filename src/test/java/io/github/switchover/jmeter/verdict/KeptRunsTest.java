package io.github.switchover.jmeter.verdict;

import io.github.switchover.jmeter.Contract;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
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
