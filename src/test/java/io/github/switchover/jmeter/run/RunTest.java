package io.github.switchover.jmeter.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.SwitchoverException.RunDirectoryException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.PlanTimes.CutPhase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunTest {

    private static final Instant NEW_YEAR = Instant.parse("2026-01-01T00:00:00.9Z");

    @TempDir
    private Path folder;

    @Test
    void a_run_of_an_earlier_version_has_the_present_schema_and_a_worker_has_its_host() {
        String former = Json.line(Run.named("r", "n").with("schema", 1).tree().json());
        assertThat(RunFile.parse(former).tree().whole("schema")).isEqualTo(2);
        Map<String, Object> named = Map.of("witnesses", List.of("witness", "lb1"), "aliases", Map.of("budget", "word"));
        String words = Json.line(Run.named("r", "n")
                .with("schema", 1)
                .with("target", named)
                .tree()
                .json());
        assertThat(Json.line(RunFile.parse(words).tree().child("target").json()))
                .contains("\"sources\":[\"source\",\"lb1\"]", "\"aliases\":{\"budget\":\"word\"}");
        assertThat(List.of(LoadFile.hostOf("s1:1099"), LoadFile.hostOf("s1"), LoadFile.hostOf("[fd00::]:1099")))
                .containsExactly("s1", "s1", "[fd00::]");
    }

    @Test
    void run_is_read_and_written_with_the_values_that_python_writes() throws IOException {
        Files.writeString(folder.resolve("run.json"), Contract.text("run.json"));
        Run run = RunFile.read(folder);
        RunFile.write(folder, run);
        Map<String, Object> written = Contract.file("run.json");
        Map<String, Object> again = Contract.json(Files.readString(folder.resolve("run.json")));
        written.remove("checksum");
        again.remove("checksum");
        assertThat(again).isEqualTo(written);
        assertThat(run.plan().healedUs()).isEqualTo(1767225620002000L);
        assertThat(run.fault().hit()).isEqualTo("lb1");
        assertThat(run.tree().child("seals").list("journal.lp")).hasSize(2);
        assertThat(run.isCutShort(CutPhase.HOLD)).isTrue();
        assertThat(run.isCutShort(CutPhase.RECOVER)).isFalse();
        assertThat(run.stopped()).isEmpty();
        Run stopped = Run.named("r", "n").with("stopped", "by SIGINT").with(run.plan());
        assertThat(stopped.stopped()).isEqualTo("by SIGINT");
        assertThat(stopped.plan().healedUs()).isEqualTo(1767225620002000L);
    }

    @Test
    void a_folder_without_a_run_is_one_line() {
        assertThatThrownBy(() -> RunFile.read(folder))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessage(folder + " is not a run directory: it has no run.json");
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
                "{\"id\": \"a\", \"name\": \"a\", \"plan\": {\"start_us\": 1.5}}",
                "{\"id\": \"a\", \"name\": \"a\", \"plan\": {}, \"parts\": {}}",
                "{\"id\": \"a\", \"name\": \"a\", \"plan\": {}, \"fault\": []}",
                "{\"id\": \"a\", \"name\": \"a\", \"plan\": {}, \"settings\": {\"limits\": \"late=1%\"}}"
            })
    void what_describes_no_run_is_one_line(String text) throws IOException {
        Files.writeString(folder.resolve("run.json"), text);
        assertThatThrownBy(() -> RunFile.read(folder))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessageStartingWith(folder.resolve("run.json") + " is not a run description of schema 2: ")
                .hasMessageNotContaining("\n");
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

    @Test
    void an_identifier_is_fit_for_a_folder_and_a_tag() {
        assertThat(RunDirectory.identifier("haproxy kill!", NEW_YEAR)).isEqualTo("20260101T000000Z-haproxy-kill");
        assertThat(RunDirectory.identifier("../é", NEW_YEAR)).isEqualTo("20260101T000000Z-run");
        assertThat(RunDirectory.identifier("a".repeat(200), NEW_YEAR)).hasSize(100);
    }

    @Test
    void a_second_run_in_the_same_second_gets_a_number_and_a_parent_that_is_a_file_is_one_line() throws IOException {
        Path parent = folder.resolve("runs");
        assertThat(RunDirectory.create(parent, "r")).isEqualTo(parent.resolve("r"));
        assertThat(RunDirectory.create(parent, "r")).isEqualTo(parent.resolve("r-2"));
        Path file = Files.createFile(folder.resolve("file"));
        assertThatThrownBy(() -> RunDirectory.create(file, "r"))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessageStartingWith("cannot create run directory " + file.resolve("r") + ": ");
    }

    @Test
    void what_a_load_says_is_taken_into_the_run_and_its_silence_is_a_missing_part() throws IOException {
        Run run = Run.named("id", "name").with("workers", List.of(Tree.of("worker", "w1"), Tree.of("worker", "w2")));
        Run silent = LoadFile.into(run, folder);
        assertThat(silent.tree().texts("parts")).containsExactly("load.json");
        assertThat(silent.settings().has("load")).isTrue();
        Files.writeString(folder.resolve("load.json"), "{");
        assertThat(LoadFile.into(run, folder).tree().texts("warnings"))
                .first()
                .asString()
                .contains("load.json does not describe a load: ");
        Files.writeString(
                folder.resolve("load.json"),
                "{\"state\": \"ended\", \"generator\": \"jmeter\", \"parts\": [\"samples.jtl\"], \"seals\": {\"samples.jtl\":"
                        + " [{\"from_byte\": 0, \"bytes\": 1, \"crc32\": \"e8b7be43\"}]}, \"workers\": [{\"worker\":"
                        + " \"w1\", \"samples\": 3}], \"settings\": {\"users\": 5}, \"warnings\": [\"slow\"]}");
        Run told = LoadFile.into(run, folder);
        assertThat(told.settings().child("load")).isEqualTo(Tree.of("users", 5, "state", "ended"));
        assertThat(told.settings().text("generator")).isEqualTo("jmeter");
        assertThat(told.workers()).containsExactly(Tree.of("worker", "w1", "samples", 3), Tree.of("worker", "w2"));
        assertThat(told.seals("samples.jtl")).hasSize(1);
        assertThat(told.tree().texts("warnings")).containsExactly("slow");
    }
}
