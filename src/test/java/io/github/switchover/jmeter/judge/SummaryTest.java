package io.github.switchover.jmeter.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.Contract;
import io.github.switchover.jmeter.Vectors;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class SummaryTest {

    @Test
    void the_summary_of_a_trusted_drill_fits_a_screen() {
        assertThat(Summary.lines(first().run(), Judge.judge(first()), "in verdict.json"))
                .containsExactly(
                        "INCONCLUSIVE  20240101T000000Z-test  haproxy-kill on lb1, backup lb2",
                        "because: unaccounted unknown, limit 0: this run cannot tell (told by switchover report)",
                        "next: " + ReasonCode.LIMIT_INCONCLUSIVE.remedy(),
                        "the pair cost      3,050 ms (−101/+0)",
                        "its failback cost  none longer than 50 ms",
                        "failed             60 of 61 (98.4 %) probes of the switchover: quote these",
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

    @Test
    void junit_has_a_case_for_the_run_and_one_for_each_limit() throws Exception {
        Run run = first().run();
        Verdict verdict = Judge.judge(
                first(),
                List.of("outage=1s", "outage=5s", "late=0%", "unaccounted=0").stream()
                        .map(Limit::parse)
                        .toList());
        Element suite = suite(JUnitXml.of(run, verdict));
        assertThat(suite.getAttribute("tests")).isEqualTo("6");
        assertThat(suite.getAttribute("failures")).isEqualTo("1");
        assertThat(suite.getAttribute("errors")).isEqualTo("1");
        assertThat(suite.getAttribute("skipped")).isEqualTo("0");
        assertThat(suite.getAttribute("time")).isEqualTo("30.000");
        Element failure = (Element) suite.getElementsByTagName("failure").item(0);
        assertThat(failure.getAttribute("message")).isEqualTo("outage was 2,949 to 3,050 ms, limit 1,000 ms");
        assertThat(((Element) failure.getParentNode()).getAttribute("name")).isEqualTo("limit outage=1s");
    }

    @Test
    void junit_calls_a_run_that_cannot_be_trusted_an_error() throws Exception {
        Verdict verdict = Judge.judge(first())
                .because(VerdictReason.of(ReasonCode.NOT_WRITTEN, "why", "no <disk> & no \"room\""))
                .because(VerdictReason.of(ReasonCode.NOT_WRITTEN, "why", "second"));
        Element suite = suite(JUnitXml.of(first().run(), verdict));
        assertThat(suite.getAttribute("errors")).isEqualTo("2");
        Element error = (Element) suite.getElementsByTagName("error").item(0);
        assertThat(error.getAttribute("message")).isEqualTo("no <disk> & no \"room\"");
        assertThat(error.getTextContent()).isEqualTo("no <disk> & no \"room\"\nsecond");
    }

    @Test
    void what_xml_cannot_carry_is_replaced() throws Exception {
        Run run = Run.named("r", "a<b>&\"\u0001\n\ud800").with(FaultRun.none(""));
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
