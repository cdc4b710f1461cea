package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Span.Interval;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.verdict.Limit.LimitResult;
import io.github.switchover.jmeter.verdict.Verdict.Status;
import io.github.switchover.jmeter.verdict.Verdict.VerdictReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class SummaryTest {

    @Test
    void the_summary_of_a_trusted_drill_fits_a_screen() {
        Verdict verdict = Judge.judge(first());
        assertThat(verdict.reasons()).extracting(VerdictReason::code).containsExactly(ReasonCode.NEEDS_REPORT);
        assertThat(Summary.lines(first().run(), verdict, "in verdict.json"))
                .containsExactly(
                        "INCONCLUSIVE (exit 2)  haproxy-kill on lb1",
                        "✓ Split brain none   limit 0s",
                        "? Unaccounted not measured   limit 0",
                        "  Why         " + verdict.reasonTexts().get(0),
                        "  Cause       " + ReasonCode.NEEDS_REPORT.cause(),
                        "  Outage      3.05 s (2.949–3.050)",
                        "  Failback    ≤ 50 ms none seen",
                        "  Failed      60 of 61 probes during the outage",
                        "  Split brain none",
                        "  Next        " + ReasonCode.NEEDS_REPORT.remedy(),
                        "  Run         20240101T000000Z-test");
    }

    @Test
    void many_reasons_and_warnings_are_counted_not_listed() {
        Verdict verdict = Judge.judge(first());
        List<VerdictReason> many = new ArrayList<>();
        List<String> warnings = new ArrayList<>();
        for (int n = 0; n < 9; n++) {
            many.add(VerdictReason.of(ReasonCode.FAULT_ERROR, "why", "reason " + n));
            warnings.add("warning " + n);
        }
        Verdict invalid = new Verdict(Status.MEASURED, many, warnings, List.of(), verdict.figures());
        assertThat(Summary.lines(first().run(), invalid, "in verdict.json"))
                .startsWith("INVALID (exit 2)  haproxy-kill on lb1")
                .contains(
                        "  Why         " + many.get(2).text(),
                        "  Warning     warning 1",
                        "              and 6 more, in verdict.json")
                .contains("  Seen        outage 3.05 s (2.949–3.050), failback ≤ 50 ms none seen,"
                        + " failed 60 of 61 probes during the outage, split brain none (do not quote)")
                .doesNotContain("  Why         " + many.get(3).text());
    }

    @Test
    void figures_that_are_unknown_partial_or_not_over_are_said() {
        Tree switchover = Tree.of("total", 12, "failed", 2, "late", 1000);
        Tree figures = Tree.of(
                "outage", Tree.of("kind", "partial", "low_ms", 100.0, "high_ms", null, "recovered", false),
                "failback", Tree.of("kind", "outage", "low_ms", 250.5, "high_ms", 999.4, "recovered", true),
                "samples", Tree.of("total", 4000, "failed", 13, "by_phase", Tree.of("switchover", switchover)));
        assertThat(lines(Run.named("r", "n"), Status.MEASURED, List.of(), figures))
                .containsExactly(
                        "MEASURED (no limit set)",
                        "  Outage      ≥ 100 ms partial: some requests were answered not recovered",
                        "  Failback    999 ms (250–1,000 ms)",
                        "  Failed      2 of 12 requests during the outage, 1,000 late, 13 failed in all",
                        "  Split brain unknown",
                        "  Run         r");
        Tree unprobed = Tree.of("probes", Tree.of("total", 0, "failed", 0), "split_brain_ms", 0);
        assertThat(lines(Run.named("r", "n").setting("probe_rate", 0.0), Status.PASSED, List.of(), unprobed))
                .containsExactly(
                        "PASSED",
                        "  Outage      unknown: there was no prober",
                        "  Failed      no probes",
                        "  Split brain none",
                        "  Run         r");
    }

    @ParameterizedTest
    @CsvFileSource(resources = "/verdict/limits.csv", delimiter = '|')
    void a_limit_is_printed_with_its_figure(String limit, double low, Double high, String line) {
        LimitResult result = Limit.parse(limit).against(new Interval(low, high), "");
        assertThat(lines(Run.named("r", "n"), Status.PASSED, List.of(result), Tree.EMPTY))
                .contains(line);
    }

    private static List<String> lines(Run run, Status fine, List<LimitResult> limits, Tree figures) {
        return Summary.lines(run, new Verdict(fine, List.of(), List.of(), limits, figures), "in verdict.json");
    }

    private static RunData first() {
        return Vectors.run(Contract.plain("verdicts.json", "cases")
                .findFirst()
                .orElseThrow()
                .getPayload());
    }
}
