package io.github.switchover.jmeter.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.verdict.Verdict.Status;
import io.github.switchover.jmeter.verdict.Verdict.VerdictReason;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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

    private static RunData first() {
        return Vectors.run(Contract.plain("verdicts.json", "cases")
                .findFirst()
                .orElseThrow()
                .getPayload());
    }
}
