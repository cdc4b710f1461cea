package io.github.switchover.jmeter.print;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.core.Journal;
import io.github.switchover.jmeter.judge.Budgets;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.RunData;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.Verdict;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class ReportTest {

    @TempDir
    private Path folder;

    @Test
    void the_summary_of_a_trusted_drill_fits_a_screen() {
        assertThat(Summary.lines(first().run(), Judge.judge(first())))
                .containsExactly(
                        "PASSED  20240101T000000Z-test  haproxy-kill on lb1, backup lb2",
                        "outage         3,050 ms (−101/+0)            by losses 3,000 ms, time-out 1 s",
                        "failback       none: less than one interval",
                        "failed probes  60 of 61 (98.4 %)             refused 60",
                        "split brain    none                          handovers up to 1.5 ms",
                        "answered by    lb1 before, lb2 after         web1 34%, web2 33%, web3 33%",
                        "generator      3,000 probes, 0 unsent        lag p99 0.9 ms, 15 % of a core",
                        "split-brain=0s kept (0s)",
                        "reconciliation and its budget: see switchover report");
    }

    @Test
    void many_reasons_and_warnings_are_counted_not_listed() {
        Verdict verdict = Judge.judge(first());
        List<String> many = new ArrayList<>();
        for (int n = 0; n < 9; n++) {
            many.add("reason " + n);
        }
        Verdict untrusted = verdict.with(
                new Verdict.Judgement(Verdict.SCHEMA, verdict.judgement().run(), false, false, many, many, List.of()));
        assertThat(Summary.lines(first().run(), untrusted))
                .startsWith("NOT TRUSTED  20240101T000000Z-test  haproxy-kill on lb1, backup lb2")
                .contains("because: reason 3", "warning: reason 3", "and 5 more, in verdict.json")
                .doesNotContain("because: reason 4")
                .endsWith("no budget was given");
    }

    @Test
    void findings_are_events_of_the_journal() {
        Path path = folder.resolve("journal.lp");
        try (Journal journal = new Journal(path, Map.of("run", "r"))) {
            FindingEvents.write(journal, Judge.assess(first()));
            FindingEvents.write(journal, Judge.assess(Vectors.data(Run.named("r", "n"))));
        }
        assertThat(path).hasContent("""
                        switchover_event,kind=first_failure,run=r text="3050.000 ms without a lasting answer" 5000000000
                        switchover_event,kind=first_success,run=r text="3050.000 ms without a lasting answer" 8000300000
                        """);
    }

    @Test
    void junit_has_a_case_for_trust_and_one_for_each_budget() throws Exception {
        Run run = first().run();
        Verdict verdict = Judge.judge(
                first(),
                List.of("outage=1s", "outage=5s", "late=0%", "unexplained=0").stream()
                        .map(Budgets::parse)
                        .toList());
        Element suite = suite(JUnitXml.of(run, verdict));
        assertThat(suite.getAttribute("tests")).isEqualTo("6");
        assertThat(suite.getAttribute("failures")).isEqualTo("1");
        assertThat(suite.getAttribute("errors")).isEqualTo("0");
        assertThat(suite.getAttribute("skipped")).isEqualTo("1");
        assertThat(suite.getAttribute("time")).isEqualTo("30.000");
        assertThat(suite.getAttribute("timestamp")).isEqualTo("1970-01-01T00:00:00");
        Element failure = (Element) suite.getElementsByTagName("failure").item(0);
        assertThat(failure.getAttribute("message")).isEqualTo("outage was 3.05s, over its limit of 1s");
        assertThat(((Element) failure.getParentNode()).getAttribute("name")).isEqualTo("budget outage=1s");
    }

    @Test
    void junit_calls_a_run_that_cannot_be_trusted_an_error() throws Exception {
        Verdict verdict =
                Judge.judge(first()).because("no <disk> & no \"room\"").because("second");
        Element suite = suite(JUnitXml.of(first().run(), verdict));
        assertThat(suite.getAttribute("errors")).isEqualTo("1");
        Element error = (Element) suite.getElementsByTagName("error").item(0);
        assertThat(error.getAttribute("message")).isEqualTo("no <disk> & no \"room\"");
        assertThat(error.getTextContent()).isEqualTo("no <disk> & no \"room\"\nsecond");
    }

    @Test
    void what_xml_cannot_carry_is_replaced() throws Exception {
        Run run = Run.named("r", "a<b>&\"\u0001\n\ud800").toBuilder()
                .fault(FaultRun.none(null))
                .build();
        String xml = JUnitXml.of(run, Judge.judge(Vectors.data(run)));
        assertThat(suite(xml).getAttribute("name"))
                .startsWith("switchover.a<b>&\"\uFFFD")
                .endsWith("\uFFFD");
    }

    private static Element suite(String xml) throws Exception {
        Document document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(xml)));
        return (Element) document.getElementsByTagName("testsuite").item(0);
    }

    static Stream<Named<Map<String, Object>>> cases() {
        return Contract.plain("verdicts.json", "cases");
    }

    private static RunData first() {
        return Vectors.run(cases().findFirst().orElseThrow().getPayload());
    }
}
