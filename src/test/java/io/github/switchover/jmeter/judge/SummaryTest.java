package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.judge.Verdict.Status;
import io.github.switchover.jmeter.judge.Verdict.VerdictReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;

class SummaryTest {

    @Test
    void the_summary_of_a_trusted_drill_fits_a_screen() {
        assertThat(Summary.lines(first().run(), Judge.judge(first()), "in verdict.json"))
                .containsExactly(
                        "INCONCLUSIVE  20240101T000000Z-test  haproxy-kill on lb1, backup lb2",
                        "because: JMeter alone cannot check the limit unaccounted=0: run switchover report"
                                + " 20240101T000000Z-test",
                        "next: " + ReasonCode.NEEDS_REPORT.remedy(),
                        "outage             3,050 ms (−101/+0)",
                        "failback           none longer than 50 ms",
                        "failed             60 of 61 (98.4 %) probes of the switchover; 60 in the whole run",
                        "split brain        none",
                        "split-brain=0s kept (0 ms)   unaccounted=0 inconclusive");
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
                .startsWith("INVALID  20240101T000000Z-test  haproxy-kill on lb1, backup lb2")
                .contains("because: reason 2", "warning: warning 1", "and 6 more, in verdict.json")
                .doesNotContain("because: reason 3")
                .endsWith("no limit was given");
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("verdicts.json", "cases");
    }

    private static RunData first() {
        return Vectors.run(cases().findFirst().orElseThrow().getPayload());
    }
}
