package io.github.switchover.jmeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.RunFolder;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.verdict.Judge;
import io.github.switchover.jmeter.verdict.RunLoader;
import io.github.switchover.jmeter.verdict.Verdict;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class MainTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path run;

    @BeforeEach
    void runDirectory(@TempDir Path folder) throws IOException {
        run = Files.createDirectory(folder.resolve("run"));
    }

    @Test
    void the_summary_is_printed_and_nothing_in_the_directory_is_changed() throws IOException {
        RunFolder.write(run, Vectors.run(first()));
        Files.writeString(run.resolve("verdict.json"), "Python's");
        assertThat(command("verdict", run.toString())).isEqualTo(2);
        assertThat(printed(out))
                .startsWith("INCONCLUSIVE (exit 2)  haproxy-kill on lb1\n")
                .contains("\n  Outage      3.05 s (2.949–3.050)");
        assertThat(run.resolve("verdict.json")).hasContent("Python's");
        assertThat(printed(err)).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void the_exit_code_and_the_json_are_the_verdicts(Map<String, Object> vector) {
        RunFolder.write(run, Vectors.run(vector));
        int code = command("verdict", "--json", run.toString());
        Map<String, Object> verdict = Contract.json(printed(out));
        Verdict judged = Judge.judge(RunLoader.load(run));
        assertThat(code).isEqualTo(judged.exitCode());
        assertThat(verdict).isEqualTo(Contract.json(judged.json()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "`` | no command given: use verdict DIR",
                "frob | 'frob' is not a command: use verdict DIR",
                "verdict | verdict: name one run directory, such as runs/<time>-<name>",
                "verdict a b | verdict: name one run directory, such as runs/<time>-<name>",
                "verdict --frob x | verdict: '--frob' is no option",
                "verdict --json=yes x | verdict: '--json=yes' is no option",
                "verdict x --limit | verdict: '--limit' is no option",
            })
    void a_word_that_is_wrong_is_one_line_with_where_the_help_is(String words, String message) {
        assertThat(command(words.isEmpty() ? new String[0] : words.split(" "))).isEqualTo(2);
        assertThat(printed(err))
                .isEqualTo("switchover: " + message + " (see 'java -jar jmeter-switchover.jar --help')\n");
        assertThat(printed(out)).isEmpty();
    }

    @Test
    void what_cannot_be_judged_is_one_line() throws IOException {
        assertThat(command("verdict", "no/such")).isEqualTo(2);
        assertThat(command("verdict", run.toString())).isEqualTo(2);
        Files.writeString(run.resolve("run.json"), "{");
        assertThat(command("verdict", run.toString())).isEqualTo(2);
        assertThat(printed(err).lines())
                .hasSize(3)
                .allMatch(line -> line.startsWith("switchover: "))
                .first()
                .isEqualTo("switchover: no/such is not a directory: name a run directory, such as runs/<time>-<name>");
        assertThat(printed(out)).isEmpty();
    }

    @Test
    void help_and_version_are_told() {
        assertThat(command("--help")).isZero();
        assertThat(command("verdict", "--help")).isZero();
        assertThat(printed(out)).isEqualTo(Main.HELP + Main.HELP);
        assertThat(command("--version")).isZero();
        assertThat(printed(out)).containsPattern("switchover \\d+\\.\\d+\\.\\d+\\S*\n$");
    }

    /** Those whose directory is whole. */
    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("verdicts.json", "cases")
                .filter(named -> ((List<?>) named.getPayload().get("missing")).isEmpty());
    }

    private static Map<String, Object> first() {
        return cases().findFirst().orElseThrow().getPayload();
    }

    private int command(String... words) {
        return new Main(stream(out), stream(err)).run(List.of(words));
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private static String printed(ByteArrayOutputStream bytes) {
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
