package io.github.switchover.jmeter.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Journal;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.RunData;
import io.github.switchover.jmeter.judge.Verdict;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ReportTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("cases")
    void figures_are_printed_as_agreed(Map<String, Object> vector) {
        List<List<String>> figures = SummaryFigures.of(Judge.judge(Vectors.run(vector))).stream()
                .map(figure -> List.of(figure.name(), figure.value(), figure.witness()))
                .toList();
        assertThat(figures).isEqualTo(Contract.map(vector.get("printed")).get("figures"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void junit_is_written_as_agreed(Map<String, Object> vector) {
        assertThat(JUnitXml.of(Judge.judge(Vectors.run(vector))))
                .isEqualTo(Contract.map(vector.get("printed")).get("junit"));
    }

    @Test
    void the_summary_of_a_trusted_drill_fits_a_screen() {
        assertThat(Summary.lines(Judge.judge(first())))
                .containsExactly(
                        "PASSED  20240101T000000Z-test  haproxy-kill on lb1, backup lb2",
                        "outage         3,050 ms (−101/+0)            by losses 3,000 ms, time-out 1 s",
                        "failback       none: less than one interval",
                        "failed probes  60 of 61 (98.4 %)             refused 60",
                        "split brain    none                          handovers up to 1.5 ms",
                        "answered by    lb1 before, lb2 after         web1 34%, web2 33%, web3 33%",
                        "generator      3,000 probes, 0 unsent        lag p99 0.9 ms, 15 % of a core",
                        "split-brain=0s kept (0s)",
                        "reconciliation: told by switchover report, and so is its budget");
    }

    @Test
    void many_reasons_and_warnings_are_counted_not_listed() {
        Verdict verdict = Judge.judge(first());
        List<String> many = new ArrayList<>();
        for (int n = 0; n < 9; n++) {
            many.add("reason " + n);
        }
        Verdict untrusted = new Verdict(
                verdict.run(),
                verdict.outage(),
                verdict.failback(),
                verdict.probes(),
                verdict.samples(),
                verdict.splitBrain(),
                verdict.distribution(),
                verdict.longestGap(),
                List.of(),
                many,
                many);
        assertThat(Summary.lines(untrusted))
                .startsWith("NOT TRUSTED  20240101T000000Z-test  haproxy-kill on lb1, backup lb2")
                .contains("because: reason 3", "warning: reason 3", "and 5 more, in verdict.json")
                .doesNotContain("because: reason 4")
                .endsWith("no budget was given");
    }

    @Test
    void findings_are_events_of_the_journal() {
        Path path = folder.resolve("journal.lp");
        try (Journal journal = new Journal(path, Map.of("run", "r"))) {
            FindingEvents.write(journal, Judge.judge(first()));
            FindingEvents.write(journal, Judge.judge(Vectors.data(Run.named("r", "n"))));
        }
        assertThat(path).hasContent("""
                        switchover_event,kind=first_failure,run=r text="3050.000 ms without a lasting answer" 5000000000
                        switchover_event,kind=first_success,run=r text="3050.000 ms without a lasting answer" 8000300000
                        """);
    }

    @Test
    void what_xml_cannot_carry_is_replaced() {
        Run run = Run.named("r", "a<b>&\"\u0001\n\ud800").toBuilder()
                .fault(new FaultRun("f", FaultRun.NONE, null, null, null, null))
                .build();
        String xml = JUnitXml.of(Judge.judge(Vectors.data(run)));
        assertThat(xml).contains("name=\"switchover.a&lt;b&gt;&amp;&quot;\uFFFD&#10;\uFFFD\"");
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("verdicts.json", "cases");
    }

    private static RunData first() {
        return Vectors.run(cases().findFirst().orElseThrow().getPayload());
    }
}
