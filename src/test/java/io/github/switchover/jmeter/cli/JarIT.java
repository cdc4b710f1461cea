package io.github.switchover.jmeter.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.RunFolder;
import io.github.switchover.jmeter.Vectors;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The finished jar, as users get it. */
class JarIT {

    private static final Path JAR = Path.of(System.getProperty("switchover.jar"));

    /** Gson's help is at a URL that looks like a package. */
    private static final Pattern OLD_NAME =
            Pattern.compile("org/HdrHistogram/|org/tomlj/|(?<!github\\.)com/google/gson/");

    @TempDir
    private Path folder;

    @Test
    void it_holds_our_classes_and_what_they_bring_along_under_names_of_our_own() throws IOException {
        List<String> files = files();
        assertThat(files)
                .filteredOn(name -> !name.startsWith("META-INF/"))
                .allMatch(name -> name.startsWith("io/github/switchover/jmeter/")
                        || name.matches("io/github/switchover/shaded/(hdrhistogram|tomlj|gson)/.*"));
        assertThat(files)
                .filteredOn(name -> name.startsWith("META-INF/"))
                .containsExactlyInAnyOrder(
                        "META-INF/MANIFEST.MF",
                        "META-INF/LICENSE",
                        "META-INF/NOTICE",
                        "META-INF/licenses/HdrHistogram.txt",
                        "META-INF/licenses/antlr4-runtime.txt",
                        "META-INF/services/org.apache.jmeter.gui.action.Command");
    }

    @Test
    void no_class_asks_for_the_names_that_were_changed() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            for (String name : files()) {
                String text =
                        new String(jar.getInputStream(new ZipEntry(name)).readAllBytes(), StandardCharsets.ISO_8859_1);
                assertThat(name.endsWith(".class") && OLD_NAME.matcher(text).find())
                        .as(name)
                        .isFalse();
            }
        }
    }

    @Test
    void it_judges_a_run_without_jmeter() throws Exception {
        Map<String, Object> vector = Contract.plain("verdicts.json", "cases")
                .findFirst()
                .orElseThrow()
                .getPayload();
        RunFolder.write(folder, Vectors.run(vector));
        Result json = java("verdict", "--json", folder.toString());
        Map<?, ?> found = (Map<?, ?>) Contract.values(Contract.json(json.printed()));
        Map<?, ?> expected = (Map<?, ?>) Contract.values(vector.get("expect"));
        assertThat(Contract.map(found.get("outage"))).containsAllEntriesOf(Contract.map(expected.get("outage")));
        // The target is dedicated: only switchover report compares the client's counts with the balancers'.
        assertThat(found.get("verdict")).isEqualTo("INCONCLUSIVE");
        assertThat(json.code()).isEqualTo(2);
        Result summary = java("verdict", folder.toString());
        assertThat(summary.printed()).startsWith("INCONCLUSIVE").contains("3.05 s (2.949–3.050)", "switchover report");
        assertThat(summary.code()).isEqualTo(2);
    }

    @Test
    void it_tells_its_version_and_what_is_wrong() throws Exception {
        assertThat(java("--version").printed())
                .isEqualTo("switchover " + System.getProperty("switchover.version") + "\n");
        Result wrong = java("verdict", "--frob");
        assertThat(wrong.code()).isEqualTo(2);
        assertThat(wrong.printed())
                .startsWith("switchover: verdict: '--frob' is no option")
                .hasLineCount(1);
    }

    private static List<String> files() throws IOException {
        try (JarFile jar = new JarFile(JAR.toFile())) {
            return jar.stream()
                    .filter(entry -> !entry.isDirectory())
                    .map(ZipEntry::getName)
                    .toList();
        }
    }

    private record Result(int code, String printed) {}

    private Result java(String... statuses) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        // The platform's own encoding cannot print a minus sign here.
        command.addAll(List.of("-Xmx256m", "-Dstdout.encoding=US-ASCII", "-jar", JAR.toString()));
        command.addAll(List.of(statuses));
        Path printed = Files.createTempFile("printed", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(printed.toFile())
                    .start();
            try {
                assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            } finally {
                process.destroyForcibly();
            }
            return new Result(process.exitValue(), Files.readString(printed));
        } finally {
            Files.delete(printed);
        }
    }
}
