package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.RunFolder;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.Lines.Ignored;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.PointFormat.PointParser;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.Seal;
import io.github.switchover.jmeter.verdict.Verdict.VerdictReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
import org.junit.jupiter.params.provider.CsvFileSource;
import org.junit.jupiter.params.provider.CsvSource;
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
        if (ofJava.contains("limit_inconclusive")) {
            known.remove("limit_exceeded"); // the jar cannot decide some limits, such as a limit on split brain
        }
        if (ofJava.contains("needs_report")) {
            known.removeAll(Set.of("limit_exceeded", "limit_inconclusive")); // limits that only the report checks
        }
        assertThat(ofJava).containsAll(known);
        if (ofJava.isEmpty() && ofPython.isEmpty()) {
            assertThat(verdict.status().text()).isEqualTo(python.get("verdict"));
        }
        ofJava.removeAll(ofPython);
        assertThat(Set.of("needs_report", "limit_inconclusive", "not_healed")).containsAll(ofJava);
    }

    @ParameterizedTest
    @CsvSource({"outage=4s, false", "outage=3s, true", "outage=2s, false"})
    void a_wide_outage_is_a_reason_unless_it_decides_the_limit(String limit, boolean isReason) {
        Verdict verdict = judged("a baseline whose rate is rounded", "settings", "limits", List.of(limit));
        assertThat(verdict.reasons().stream().anyMatch(reason -> reason.code() == ReasonCode.WIDE_BOUND))
                .isEqualTo(isReason);
    }

    @Test
    void a_balancer_that_is_down_at_the_end_of_a_run_counts_from_5_s_after_the_heal_on() {
        assertThat(judged("a heal that did nothing", "plan", "end_us", 25_002_000L)
                        .reasons())
                .extracting(VerdictReason::text)
                .containsExactly("JMeter alone cannot confirm that the pair is as it was before haproxy-kill: run"
                        + " switchover report 20240101T000000Z-test");
    }

    @Test
    void a_balancer_that_answered_before_although_another_was_to_be_hit_makes_the_run_invalid() {
        assertThat(judged("a trusted drill", "fault", "master", "lb2").reasons())
                .extracting(VerdictReason::text)
                .contains("lb1 sent 100 responses in the baseline: lb2 was not the only master");
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/verdict/reasons.csv", delimiter = '|', quoteCharacter = '`')
    void a_run_that_is_incomplete_has_the_reason(
            String name, String table, String key, String json, String text, boolean isReason) {
        Object value = Contract.json("{\"value\": " + json + "}").get("value");
        assertThat(judged(name, table, key, value).reasonTexts().stream().anyMatch(reason -> reason.contains(text)))
                .isEqualTo(isReason);
    }

    private static Verdict judged(String name, String table, String key, Object value) {
        Map<String, Object> vector = cases().filter(named -> named.getName().equals(name))
                .findFirst()
                .orElseThrow()
                .getPayload();
        Map<String, Object> run = Contract.map(vector.get("run"));
        Map<String, Object> changed = table.equals("run") ? new LinkedHashMap<>() : Contract.map(run.get(table));
        changed.put(key, value);
        run.putAll(table.equals("run") ? changed : Map.of(table, changed));
        vector.put("run", run);
        return Judge.judge(Vectors.run(vector));
    }

    @Test
    void a_run_directory_is_judged_as_what_was_written_into_it() {
        Map<String, Object> vector = cases().findFirst().orElseThrow().getPayload();
        RunData data = Vectors.run(vector);
        RunFolder.write(folder, data);
        RunData found = RunLoader.load(folder);
        assertThat(Judge.judge(found).tree()).isEqualTo(Judge.judge(data).tree());
        assertThat(found.unreadLines()).isZero();
    }

    @Test
    void warnings_are_those_of_the_run_and_of_its_sources_unless_the_fault_explains_them() {
        RunData data = Vectors.run(cases().findFirst().orElseThrow().getPayload());
        List<Point> points = Stream.of(
                        "kind=warning,node=lb1 text=\"before the fault\" 4999999000",
                        "kind=warning,node=lb1 text=\"of the victim\" 5000000000",
                        "kind=warning,node=lb2 text=\"of another\" 6000000000",
                        "kind=heal,node=lb2 text=\"no warning\" 6000000000")
                .map(line -> PointParser.parse("switchover_event," + line))
                .toList();
        Ignored ignored = new Ignored();
        ignored.add("half a row");
        List<Sample> unsent = List.of(Vectors.sample(1, 2, 1L, FailureKind.GENERATOR, "fresh"));
        Run run = data.run().with("warnings", List.of("of the run", "of another"));
        RunData whole = new RunData(run, unsent, List.of(), points, List.of(ignored), data.files());
        String lines = "1 lines of the run directory could not be read";
        String ports = "1 probes could not be sent: the client machine had no free ports or descriptors";
        assertThat(Judge.judge(whole).warnings())
                .containsExactly("of the run", "of another", lines, ports, "before the fault");
        RunData unfired = new RunData(
                run.with(PlanTimes.NOTHING.started(0)), List.of(), List.of(), points, List.of(), data.files());
        assertThat(Judge.judge(unfired).warnings())
                .containsExactly("of the run", "of another", "before the fault", "of the victim");
    }

    @Test
    void a_file_that_has_a_seal_and_is_gone_is_missing() throws IOException {
        RunData data = Vectors.run(cases().findFirst().orElseThrow().getPayload());
        Run run = data.run().sealed("journal-gone.lp", List.of());
        RunFolder.write(folder, data.with(run));
        assertThat(RunLoader.load(folder).files().missing()).containsExactly("journal-gone.lp");
    }

    @ParameterizedTest
    @ValueSource(strings = {"access-web1.csv", "connections.jtl", "retrying_client.jtl"})
    void a_file_that_only_the_report_reads_is_held_against_its_seal(String name) throws IOException {
        RunData data = Vectors.run(cases().findFirst().orElseThrow().getPayload());
        Map<String, Seal> seals = Map.of(name, new Seal(0, 1, "e8b7be43"));
        RunFolder.write(folder, data.with(data.run().sealed(seals)));
        Files.writeString(folder.resolve(name), "b");
        assertThat(RunLoader.load(folder).files().damaged()).containsOnlyKeys(name);
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("verdicts.json", "cases");
    }
}
