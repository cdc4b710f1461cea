package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.LimitResult.LimitState;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import java.util.List;
import java.util.stream.Collectors;

/**
 * {@code junit.xml}: one test case for the run and one per limit.
 *
 * <p>What the run itself did not do is an error (exit code 2) or a failure (1), a exceeded limit a failure, an inconclusive one
 * an error, an unmeasured one skipped. A limit that was given twice is one case, for names must differ.
 */
public final class JUnitXml {

    private JUnitXml() {}

    public static String of(Run run, Verdict verdict) {
        String suite = attribute("switchover." + run.name());
        List<LimitResult> limits = verdict.limits().stream().distinct().toList();
        // Broken and inconclusive limits have test cases of their own.
        List<VerdictReason> reasons = verdict.loudestFirst()
                .filter(reason ->
                        reason.code() != ReasonCode.LIMIT_EXCEEDED && reason.code() != ReasonCode.LIMIT_INCONCLUSIVE)
                .toList();
        boolean isError = reasons.stream().anyMatch(reason -> reason.status().exitCode() == Verdict.EXIT_INVALID);
        String seconds = Numbers.fixed(seconds(run.plan()), 3);
        StringBuilder xml = new StringBuilder(
                        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites><testsuite name=")
                .append(suite)
                .append(number("tests", 1 + limits.size()))
                .append(number("failures", count(limits, LimitState.EXCEEDED) + (isError || reasons.isEmpty() ? 0 : 1)))
                .append(number("errors", count(limits, LimitState.INCONCLUSIVE) + (isError ? 1 : 0)))
                .append(number("skipped", count(limits, LimitState.UNMEASURED)))
                .append(" time=\"" + seconds + "\"><properties>")
                .append("<property name=\"run\" value=" + attribute(run.id()) + "/>")
                .append("<property name=\"fault\" value="
                        + attribute(run.fault().name()) + "/></properties>");
        String texts = reasons.stream().map(VerdictReason::text).collect(Collectors.joining("\n"));
        String result = reasons.isEmpty()
                ? ""
                : result(
                        isError ? "error" : "failure",
                        reasons.get(0).status().text(),
                        reasons.get(0).text(),
                        texts);
        addCase(xml, suite, "the run did what was planned, and can be trusted", seconds, result);
        for (LimitResult limit : limits) {
            String compared = limit.name() + " was " + limit.figureText() + ", limit " + limit.limitText()
                    + (limit.note().isEmpty() ? "" : " (" + limit.note() + ")");
            String kind = switch (limit.state()) {
                case UNMEASURED -> "skipped";
                case EXCEEDED -> "failure";
                case INCONCLUSIVE -> "error";
                case KEPT -> "";
            };
            String status = limit.state().name();
            String message = kind.equals("skipped") ? limit.note() : compared;
            String text = kind.isEmpty() ? "" : result(kind, status, message, message);
            // It took the whole run to find out; readers add the times of the cases up.
            addCase(xml, suite, "limit " + limit.limit().text(), "0.000", text);
        }
        return xml.append("</testsuite></testsuites>\n").toString();
    }

    private static void addCase(StringBuilder xml, String suite, String title, String seconds, String result) {
        xml.append("<testcase classname=" + suite + " name=" + attribute(title) + " time=\"" + seconds + "\">")
                .append(result)
                .append("</testcase>");
    }

    /** With a text beside the message, for GitLab shows no message. */
    private static String result(String kind, String type, String message, String text) {
        return "<" + kind + " type=" + attribute(type) + " message=" + attribute(message) + ">" + escaped(text) + "</"
                + kind + ">";
    }

    private static long count(List<LimitResult> limits, LimitState state) {
        return limits.stream().filter(limit -> limit.state() == state).count();
    }

    private static double seconds(PlanTimes plan) {
        return plan.startUs() == null || plan.endUs() == null
                ? 0
                : Math.max(0, Units.secondsOfUs(plan.endUs() - plan.startUs()));
    }

    private static String number(String name, long value) {
        return " " + name + "=\"" + value + "\"";
    }

    private static String attribute(String value) {
        return '"' + escaped(value).replace("\n", "&#10;").replace("\t", "&#9;") + '"';
    }

    /** Names come from the network: what XML 1.0 cannot carry in any form (section 2.2) is replaced. */
    private static String escaped(String raw) {
        StringBuilder text = new StringBuilder();
        raw.codePoints().forEach(c -> {
            boolean isXml = c == '\t' || c == '\n' || (c >= ' ' && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD);
            text.appendCodePoint(isXml || c >= 0x10000 ? c : '\uFFFD');
        });
        return text.toString()
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
