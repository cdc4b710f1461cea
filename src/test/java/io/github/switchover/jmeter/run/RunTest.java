package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.NodeClock;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.Seal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunTest {

    private static final Instant NEW_YEAR = Instant.parse("2026-01-01T00:00:00.9Z");

    private static final WorkerFacts WORKER = new WorkerFacts(
            new WorkerFacts.Origin("w1", "host", "samples.jtl"),
            true,
            new WorkerFacts.Recorded(3L, 3L, 0L, null),
            new WorkerFacts.Clock(0L, 0L),
            "start",
            WorkerFacts.STOPPED);

    @TempDir
    private Path folder;

    @Test
    void run_is_read_and_written_with_the_values_that_python_writes() throws IOException {
        Files.writeString(folder.resolve("run.json"), Contract.text("run.json"));
        RunFile.write(folder, RunFile.read(folder));
        assertThat(known(Contract.text("run.json"))).isEqualTo(known(Files.readString(folder.resolve("run.json"))));
    }

    @Test
    void a_run_comes_about_field_by_field() {
        PlanTimes plan = PlanTimes.NOTHING
                .started(1)
                .fired(2, 3)
                .confirmed(4)
                .healing(5, 6)
                .healed(7)
                .ended(8);
        Run begun = Run.begun(
                new Run.RunStart("id", "name", Run.SCHEMA, Map.of("java", "17"), List.of("jmeter"), 7L),
                new TargetFacts("http://lb1/", "200", true, Map.of(), List.of(), false, null),
                RunSettings.unprobed());
        Run run = begun.with(plan)
                .with(FaultRun.of("exec", FaultRun.MASTER, new FaultRun.FaultNodes("lb1", "lb2", "lb1", "header"))
                        .withError("no"))
                .with(begun.evidence()
                        .with(List.of(new NodeClock("lb1", "before", 1L, 2L, null)))
                        .with(ProbeAccount.ofDead(1L, 2, "no"))
                        .withAccessLogs(Map.of("web1", new AccessLogFacts(1L, Map.of(), Map.of(), null)))
                        .withWorkers(List.of(WORKER))
                        .withParts(List.of("probes.jtl")))
                .with(begun.ending()
                        .withWarning("once")
                        .withWarning("once")
                        .with(new StreamedPoints("http://influx:8086?db=d", 5, 0, 0, ""))
                        .truncated(List.of(new CutPhase(CutPhase.HOLD, 1, 10.6, true))));
        RunFile.write(folder, run);
        assertThat(RunFile.read(folder)).isEqualTo(run);
        assertThat(run.plan())
                .isEqualTo(new PlanTimes(
                        1L, new PlanTimes.FaultTimes(2L, 3L, 4L), new PlanTimes.HealTimes(5L, 6L, 7L), 8L));
        assertThat(run.ending().warnings()).containsExactly("once");
    }

    @Test
    void a_run_without_a_fault_has_none() {
        RunFile.write(folder, Run.named("id", "name"));
        assertThat(RunFile.read(folder)).isEqualTo(Run.named("id", "name"));
        assertThat(RunFile.read(folder).fault()).isNull();
    }

    @Test
    void a_folder_without_a_run_is_one_line() {
        assertThatThrownBy(() -> RunFile.read(folder))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessage(folder + " is no run directory: it has no run.json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "{\"id\": \"a\"}",
                "{\"id\": \"a\", \"name\": \"a\", \"plan\": []}",
                "{\"id\": \"a\", \"name\": \"a\", \"plan\": {\"start_us\": \"x\"}}",
                "{\"id\": \"a\", \"name\": \"a\", \"plan\": {}, \"parts\": {}}",
                "{\"id\": \"a\", \"name\": \"a\", \"plan\": {}, \"fault\": {}}"
            })
    void what_describes_no_run_is_one_line(String text) throws IOException {
        Files.writeString(folder.resolve("run.json"), text);
        assertThatThrownBy(() -> RunFile.read(folder))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessageStartingWith(folder.resolve("run.json") + " is not a run description of schema 1: ")
                .hasMessageNotContaining("\n");
    }

    @Test
    void an_identifier_is_fit_for_a_folder_and_a_tag() {
        assertThat(RunDirectory.identifier("haproxy kill!", NEW_YEAR)).isEqualTo("20260101T000000Z-haproxy-kill");
        assertThat(RunDirectory.identifier("../é", NEW_YEAR)).isEqualTo("20260101T000000Z-run");
        assertThat(RunDirectory.identifier("a".repeat(200), NEW_YEAR)).hasSize(100);
    }

    @Test
    void a_second_run_in_the_same_second_gets_a_number() {
        Path parent = folder.resolve("runs");
        assertThat(RunDirectory.create(parent, "r")).isEqualTo(parent.resolve("r"));
        assertThat(RunDirectory.create(parent, "r")).isEqualTo(parent.resolve("r-2"));
    }

    @Test
    void a_parent_that_is_a_file_is_one_line() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> RunDirectory.create(file, "r"))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessageStartingWith("cannot create run directory " + file.resolve("r") + ": ");
    }

    @Test
    void a_load_tells_of_itself() throws IOException {
        LoadFile.write(
                folder,
                new LoadFacts(
                        LoadFacts.ENDED,
                        "jmeter",
                        new LoadFacts.LoadFiles(
                                List.of("samples.jtl"), Map.of("samples.jtl", List.of(new Seal(0, 1, "e8b7be43")))),
                        List.of(WORKER),
                        List.of(),
                        JsonParser.parseString("{\"users\": 5}").getAsJsonObject(),
                        List.of("slow")));
        Map<String, Object> load = Contract.json(Files.readString(folder.resolve("load.json")));
        assertThat(load.keySet())
                .containsExactly("state", "generator", "parts", "seals", "workers", "clocks", "settings", "warnings");
        assertThat(load).containsEntry("state", "ended").containsEntry("settings", Map.of("users", 5L));
    }

    @Test
    void a_run_that_was_changed_since_it_was_written_is_refused() throws IOException {
        RunFile.write(folder, Run.named("id", "name"));
        Path file = folder.resolve("run.json");
        Files.writeString(file, Files.readString(file).replace("\"name\": \"name\"", "\"name\": \"mane\""));
        assertThatThrownBy(() -> RunFile.read(folder))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessage(file + " is damaged, or was edited: its text does not match the checksum that the run"
                        + " wrote");
        Files.writeString(file, Files.readString(file).replaceFirst(",\\s*\"checksum.*\"", ""));
        assertThatThrownBy(() -> RunFile.read(folder)).hasMessageContaining("is damaged, or was edited");
    }

    /** What is null, or empty, is as if it were not there; so is what only one of the languages writes. */
    private static Object known(String text) {
        return known(Contract.json(text));
    }

    private static Object known(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> kept = new TreeMap<>();
            map.forEach((key, entry) -> {
                Object found = known(entry);
                if (found != null && !NOTHING.contains(found) && !OPEN.contains(key)) {
                    kept.put((String) key, found);
                }
            });
            return kept;
        }
        return value instanceof List<?> list ? list.stream().map(RunTest::known).toList() : value;
    }

    private static final Set<Object> NOTHING = Set.of(Map.of(), List.of(), "", false);
    private static final Set<String> OPEN = Set.of("small", "large", "nested", "checksum");

    @ParameterizedTest
    @MethodSource("cutPhases")
    void a_phase_that_was_cut_short_is_a_code_with_figures_and_one_line(Map<String, Object> vector) {
        CutPhase cut = cutPhase(vector);
        Run run = Run.named("id", "name");
        RunFile.write(folder, run.with(run.ending().truncated(List.of(cut))));
        assertThat(RunFile.read(folder).ending().truncated()).containsExactly(cut);
        assertThat(cut.text()).isEqualTo(vector.get("text"));
    }

    @ParameterizedTest
    @MethodSource("oldSentences")
    void the_sentence_of_an_earlier_version_is_read_as_its_code(Map<String, Object> vector) {
        Run run = RunFile.parse(cutRun((String) vector.get("text")));
        assertThat(run.ending().truncated()).containsExactly(cutPhase(vector));
    }

    @Test
    void another_sentence_is_refused() {
        for (JsonElement text : Contract.vectors("cut_phases.json", "refused")) {
            assertThatThrownBy(() -> RunFile.parse(cutRun(text.getAsString())))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("truncated");
        }
    }

    static Stream<Named<Map<String, Object>>> cutPhases() {
        return Contract.plain("cut_phases.json", "cases");
    }

    static Stream<Named<Map<String, Object>>> oldSentences() {
        return Contract.plain("cut_phases.json", "old");
    }

    private static CutPhase cutPhase(Map<String, Object> vector) {
        return new CutPhase(
                (String) vector.get("phase"),
                ((Number) vector.get("lasted_s")).doubleValue(),
                ((Number) vector.get("needed_s")).doubleValue(),
                (Boolean) vector.get("chosen"));
    }

    private static String cutRun(String sentence) {
        return "{\"id\": \"a\", \"name\": \"a\", \"plan\": {}, \"truncated\": [\"" + sentence + "\"]}";
    }
}
