package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.LimitResult;
import io.github.switchover.jmeter.run.LimitState;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.ReasonCode;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.VerdictReason;
import java.io.StringWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import javax.xml.stream.XMLOutputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamWriter;

/** {@code junit.xml}: one test case for the run and one per limit, for the machines that already read test results. */
public final class JUnitXml {

    private static final DateTimeFormatter WITHOUT_ZONE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** These reasons have test cases of their own. An unmeasured limit is skipped there, and an error of the run. */
    private static final Set<ReasonCode> OF_LIMITS = Set.of(ReasonCode.LIMIT_EXCEEDED, ReasonCode.LIMIT_INCONCLUSIVE);

    private final XMLStreamWriter xml;
    private final String suite;

    private JUnitXml(XMLStreamWriter xml, String suite) {
        this.xml = xml;
        this.suite = suite;
    }

    /**
     * A document of one suite. What the run itself did not do is an error (exit code 2) or a failure (1), a exceeded limit
     * a failure, an inconclusive one an error. A limit that was given twice is one case, for names must differ.
     */
    public static String of(Run run, Verdict verdict) {
        StringWriter text = new StringWriter(2048);
        try {
            XMLStreamWriter xml = XMLOutputFactory.newDefaultFactory().createXMLStreamWriter(text);
            new JUnitXml(xml, "switchover." + carried(run.name())).write(run, verdict);
            xml.close();
        } catch (XMLStreamException error) {
            throw new IllegalStateException("a string takes any XML", error);
        }
        return text.append('\n').toString();
    }

    private void write(Run run, Verdict verdict) throws XMLStreamException {
        List<LimitResult> limits = verdict.limits().stream().distinct().toList();
        String seconds = Numbers.fixed(seconds(run.plan()), 3);
        xml.writeStartDocument("utf-8", "1.0");
        xml.writeStartElement("testsuites");
        xml.writeStartElement("testsuite");
        attribute("name", suite);
        attribute("tests", String.valueOf(1 + limits.size()));
        List<VerdictReason> reasons = verdict.reasons().stream()
                .filter(reason -> reason.code() == null || !OF_LIMITS.contains(reason.code()))
                .sorted((one, other) -> one.status().compareTo(other.status()))
                .toList();
        boolean error = reasons.stream().anyMatch(reason -> reason.status().exitCode() == Verdict.EXIT_INVALID);
        boolean failure = !reasons.isEmpty() && !error;
        attribute("failures", String.valueOf(count(limits, LimitState.EXCEEDED) + (failure ? 1 : 0)));
        attribute("errors", String.valueOf(count(limits, LimitState.INCONCLUSIVE) + (error ? 1 : 0)));
        attribute("skipped", String.valueOf(count(limits, LimitState.UNMEASURED)));
        attribute("time", seconds);
        if (run.plan().startUs() != null) {
            // UTC, and without a zone: so the format has it.
            attribute(
                    "timestamp",
                    WITHOUT_ZONE.format(Instant.ofEpochSecond(run.plan().startUs() / Units.US_PER_S)));
        }
        xml.writeStartElement("properties");
        property("run", run.id());
        property("fault", run.fault() == null ? "none" : run.fault().name());
        xml.writeEndElement();
        writeRun(seconds, error ? "error" : "failure", reasons);
        for (LimitResult limit : limits) {
            writeLimit(limit);
        }
        xml.writeEndElement();
        xml.writeEndElement();
        xml.writeEndDocument();
    }

    private static long count(List<LimitResult> limits, LimitState state) {
        return limits.stream().filter(limit -> limit.state() == state).count();
    }

    private void property(String key, String value) throws XMLStreamException {
        xml.writeEmptyElement("property");
        attribute("name", key);
        attribute("value", value);
    }

    /** It took the whole run to find out; the limits take no time of their own, for readers add the times up. */
    private void writeRun(String seconds, String kind, List<VerdictReason> reasons) throws XMLStreamException {
        startCase("the run did what was planned, and can be trusted", seconds);
        if (!reasons.isEmpty()) {
            String texts = reasons.stream().map(VerdictReason::text).collect(Collectors.joining("\n"));
            writeResult(kind, reasons.get(0).status().text(), reasons.get(0).text(), texts);
        }
        xml.writeEndElement();
    }

    private void writeLimit(LimitResult result) throws XMLStreamException {
        startCase("limit " + result.text(), "0.000");
        switch (result.state()) {
            case UNMEASURED -> {
                String why = result.note().isEmpty() ? "not measured" : result.note();
                writeResult("skipped", null, why, why);
            }
            case EXCEEDED -> writeResult("failure", "EXCEEDED", compared(result), compared(result));
            case INCONCLUSIVE -> writeResult("error", "INCONCLUSIVE", compared(result), compared(result));
            case KEPT -> {}
        }
        xml.writeEndElement();
    }

    private void startCase(String title, String seconds) throws XMLStreamException {
        xml.writeStartElement("testcase");
        attribute("classname", suite);
        attribute("name", title);
        attribute("time", seconds);
    }

    /** With a text beside the message, for GitLab shows no message; {@code type} may be null. */
    private void writeResult(String kind, String type, String message, String content) throws XMLStreamException {
        xml.writeStartElement(kind);
        if (type != null) {
            attribute("type", type);
        }
        attribute("message", message);
        xml.writeCharacters(carried(content));
        xml.writeEndElement();
    }

    /** What a limit that is not kept comes to, in one phrase. */
    private static String compared(LimitResult result) {
        String note = result.note().isEmpty() ? "" : " (" + result.note() + ")";
        String how = result.state() == LimitState.EXCEEDED
                ? "over its limit of " + result.limitText()
                : "limit " + result.limitText() + ": this run cannot tell";
        return result.name() + " was " + result.figureText() + ", " + how + note;
    }

    private static double seconds(PlanTimes plan) {
        return plan.startUs() == null || plan.endUs() == null
                ? 0
                : Math.max(0, Units.secondsOfUs(plan.endUs() - plan.startUs()));
    }

    private void attribute(String name, String value) throws XMLStreamException {
        xml.writeAttribute(name, carried(value));
    }

    /** Names come from the network: what XML 1.0 cannot carry in any form (section 2.2) is replaced. */
    private static String carried(String raw) {
        StringBuilder carried = new StringBuilder(raw.length());
        raw.codePoints().forEach(c -> carried.appendCodePoint(isXml(c) ? c : '\uFFFD'));
        return carried.toString();
    }

    private static boolean isXml(int c) {
        return c == '\t'
                || c == '\n'
                || c == '\r'
                || (c >= ' ' && c <= 0xD7FF)
                || (c >= 0xE000 && c <= 0xFFFD)
                || c >= 0x10000;
    }
}
