package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.RunFolder;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.RunDirectoryException;
import io.github.switchover.jmeter.core.Seal;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class VerdictTest {

    private static final List<String> JUDGED =
            List.of("verdict", "exit_code", "valid", "reasons", "warnings", "limits");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("cases")
    void the_short_verdict_has_pythons_figures_and_is_never_greener(Map<String, Object> vector) {
        assertAgreement(Judge.judge(Vectors.run(vector)), Contract.map(vector.get("expect")));
    }

    private static Object asFarAsJavaKnows(Object java, Object python) {
        if (java instanceof Map<?, ?> map && python instanceof Map<?, ?> other) {
            Map<Object, Object> found = new LinkedHashMap<>();
            map.forEach((name, value) -> {
                // The vectors are without it.
                boolean isLeftOut = name.equals("first_bad_us") && !other.containsKey(name);
                found.put(name, isLeftOut ? value : asFarAsJavaKnows(value, other.get(name)));
            });
            return found;
        }
        return java == null ? null : python;
    }

    /** What the jar knows is equal; it may know less, and then it is not green. */
    static void assertAgreement(Verdict verdict, Map<String, Object> python) {
        Map<String, Object> java = Contract.json(verdict.json());
        JUDGED.forEach(java::remove);
        java.forEach((name, value) -> {
            Object known = asFarAsJavaKnows(value, python.get(name));
            assertThat(Contract.values(value)).as(name).isEqualTo(Contract.values(known));
        });
        if (verdict.exitCode() == 0) {
            assertThat(python).containsEntry("exit_code", 0L);
        }
        Set<String> ofPython = ((List<?>) python.get("reasons"))
                .stream()
                        .map(reason -> (String) Contract.map(reason).get("code"))
                        .collect(Collectors.toSet());
        Set<String> ofJava =
                verdict.reasons().stream().map(reason -> reason.code().label()).collect(Collectors.toSet());
        Set<String> known = new TreeSet<>(ofPython);
        known.removeAll(Vectors.CODES_OF_REPORT);
        assertThat(ofJava).containsAll(known);
        ofJava.removeAll(ofPython);
        assertThat(Set.of("needs_report", "limit_inconclusive", "not_healed")).containsAll(ofJava);
    }

    @Test
    void a_run_directory_is_judged_as_what_was_written_into_it() {
        Map<String, Object> vector = cases().findFirst().orElseThrow().getPayload();
        RunData data = Vectors.run(vector);
        RunFolder.write(folder, data);
        RunData found = RunLoader.load(folder);
        assertThat(Judge.judge(found).tree()).isEqualTo(Judge.judge(data).tree());
        assertThat(found.unread().total()).isZero();
    }

    @Test
    void parts_of_a_run_are_one_run_and_a_missing_one_is_told() throws IOException {
        RunData data = Vectors.run(cases().findFirst().orElseThrow().getPayload());
        Run run = data.run().with("parts", List.of("probes.jtl", "samples-w1.jtl", "gone.jtl"));
        RunFile.write(folder, run);
        Path part = Files.createDirectory(folder.resolve("part"));
        RunFolder.write(part, data);
        Files.move(part.resolve("samples.jtl"), part.resolve("samples-w1.jtl"));
        RunData found = RunLoader.load(folder, part, part);
        assertThat(found.missing()).containsExactly("gone.jtl");
        assertThat(found.probes()).hasSameSizeAs(data.probes());
        assertThat(Judge.judge(found).reasonTexts())
                .first()
                .isEqualTo("gone.jtl is missing: the run wrote it, and it is not in the run directory");
    }

    @Test
    void a_file_that_has_a_seal_and_is_gone_is_missing() throws IOException {
        RunData data = Vectors.run(cases().findFirst().orElseThrow().getPayload());
        Run run = data.run().sealed(Map.of("journal-gone.lp", List.of()));
        RunFolder.write(folder, data.with(run));
        assertThat(RunLoader.load(folder).missing()).containsExactly("journal-gone.lp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"access-web1.csv", "connections.jtl", "retrying_client.jtl"})
    void a_file_that_only_the_report_reads_is_held_against_its_seal(String name) throws IOException {
        RunData data = Vectors.run(cases().findFirst().orElseThrow().getPayload());
        Map<String, List<Seal>> seals = Map.of(name, List.of(new Seal(0, 1, "e8b7be43")));
        RunFolder.write(folder, data.with(data.run().sealed(seals)));
        Files.writeString(folder.resolve(name), "b");
        assertThat(RunLoader.load(folder).flaws())
                .extracting(RunData.Flaw::name)
                .containsExactly(name);
    }

    @Test
    void parts_of_two_runs_are_refused() throws IOException {
        Path other = Files.createDirectory(folder.resolve("other"));
        RunFile.write(folder, Run.named("one", "n"));
        RunFile.write(other, Run.named("two", "n"));
        assertThatThrownBy(() -> RunLoader.load(folder, other))
                .isInstanceOf(RunDirectoryException.class)
                .hasMessage(other + " is run two, " + folder + " is run one: not parts of one run");
    }

    @Test
    void lines_that_cannot_be_read_are_counted_once() throws IOException {
        RunData data = Vectors.run(cases().findFirst().orElseThrow().getPayload());
        RunFolder.write(folder, data);
        Files.writeString(folder.resolve("probes.jtl"), "half a line", StandardOpenOption.APPEND);
        assertThat(Judge.judge(RunLoader.load(folder)).warnings())
                .contains("1 lines of the run directory could not be read");
    }

    @Test
    void the_vectors_see_each_kind_of_word() {
        Set<Status> statuses = cases().map(
                        named -> Judge.judge(Vectors.run(named.getPayload())).status())
                .collect(Collectors.toSet());
        assertThat(statuses)
                .contains(
                        Status.PASSED,
                        Status.MEASURED,
                        Status.INCONCLUSIVE,
                        Status.FAILED,
                        Status.NOT_FIRED,
                        Status.NOT_RECOVERED,
                        Status.STOPPED);
    }

    @Test
    void a_planned_fault_that_was_never_due_is_not_fired() {
        Run run = Run.named("r", "n")
                .setting("probe_rate", 0)
                .setting("fault_planned", "touch")
                .with(PlanTimes.NOTHING.started(0).ended(8_000_000))
                .with(FaultRun.none(""));
        Verdict verdict = Judge.judge(Vectors.data(run));
        assertThat(verdict.status()).isEqualTo(Status.NOT_FIRED);
        assertThat(verdict.exitCode()).isEqualTo(2);
        assertThat(verdict.reasonTexts()).containsExactly("touch was planned, and was not fired");
    }

    @Test
    void a_fault_that_was_refused_is_not_fired_and_says_why() {
        Run run = Run.named("r", "n")
                .setting("probe_rate", 0)
                .setting("fault_planned", "touch")
                .with(PlanTimes.NOTHING.started(0).ended(8_000_000))
                .with(FaultRun.none("touch is not armed"));
        assertThat(Judge.judge(Vectors.data(run)).reasonTexts())
                .containsExactly("touch was planned, and was not fired: touch is not armed");
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("verdicts.json", "cases");
    }
}
