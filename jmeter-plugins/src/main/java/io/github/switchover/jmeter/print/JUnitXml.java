package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.judge.Budget;
import io.github.switchover.jmeter.judge.BudgetResult;
import io.github.switchover.jmeter.judge.Verdict;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.Run;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;

/**
 * {@code junit.xml}: one test case for trust and one per budget, for the machines that already read test results; the
 * same bytes as Python's for the same verdict.
 */
public final class JUnitXml {

    private static final long YEAR_10000_US = 253_402_300_800_000_000L;

    private static final DateTimeFormatter WITHOUT_ZONE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss").withZone(ZoneOffset.UTC);

    private final StringBuilder xml = new StringBuilder(2048);
    private final String name;

    private JUnitXml(String name) {
        this.name = name;
    }

    /**
     * A document of one suite; an untrusted run is an error, a broken budget a failure. A budget that was given twice is
     * one case, for names must differ.
     */
    public static String of(Verdict verdict) {
        JUnitXml document = new JUnitXml(attribute("switchover." + verdict.run().name()));
        document.suite(verdict);
        return document.xml.toString();
    }

    private void suite(Verdict verdict) {
        List<BudgetResult> budgets = verdict.budgets().stream().distinct().toList();
        Run run = verdict.run();
        long failures = budgets.stream()
                .filter(result -> Boolean.FALSE.equals(result.passed()))
                .count();
        long skipped =
                budgets.stream().filter(result -> result.passed() == null).count();
        String seconds = Numbers.fixed(seconds(run.plan()), 3);
        line(0, "<?xml version='1.0' encoding='utf-8'?>");
        line(0, "<testsuites>");
        line(
                1,
                "<testsuite name=\"" + name + "\" tests=\"" + (1 + budgets.size()) + "\" failures=\"" + failures
                        + "\" errors=\"" + (verdict.trusted() ? 0 : 1) + "\" skipped=\"" + skipped + "\" time=\""
                        + seconds + "\"" + timestamp(run.plan()) + ">");
        line(2, "<properties>");
        property("run", run.id());
        property("fault", run.fault() == null ? "none" : run.fault().name());
        line(2, "</properties>");
        trust(seconds, verdict.reasons());
        budgets.forEach(this::budget);
        line(1, "</testsuite>");
        line(0, "</testsuites>");
    }

    private void property(String key, String value) {
        line(3, "<property name=\"" + key + "\" value=\"" + attribute(value) + "\" />");
    }

    /** It took the whole run to find out; the budgets take no time of their own, for readers add the times up. */
    private void trust(String seconds, List<String> reasons) {
        String error = reasons.isEmpty()
                ? null
                : unsuccessful("error", "untrusted", reasons.get(0), String.join("\n", reasons));
        testCase("the run can be trusted", seconds, error);
    }

    private void budget(BudgetResult result) {
        String child = null;
        if (result.passed() == null) {
            String why = result.note().isEmpty() ? "not measured" : result.note();
            child = unsuccessful("skipped", null, why, why);
        } else if (!result.passed()) {
            child = unsuccessful("failure", "budget", figures(result), figures(result));
        }
        testCase("budget " + result.budget(), "0.000", child);
    }

    /** With a text beside the message, for GitLab shows no message. */
    private static String unsuccessful(String kind, String type, String message, String content) {
        String typed = type == null ? "" : " type=\"" + type + "\"";
        return "<" + kind + typed + " message=\"" + attribute(message) + "\">" + text(content) + "</" + kind + ">";
    }

    /** {@code child}: null if all is well. */
    private void testCase(String title, String seconds, String child) {
        String start =
                "<testcase classname=\"" + name + "\" name=\"" + attribute(title) + "\" time=\"" + seconds + "\"";
        if (child == null) {
            line(2, start + " />");
            return;
        }
        line(2, start + ">");
        line(3, child);
        line(2, "</testcase>");
    }

    private static String figures(BudgetResult result) {
        Budget budget = result.budget();
        String value = result.value() == null ? "unknown" : budget.unit().format(result.value());
        String note = result.note().isEmpty() ? "" : " (" + result.note() + ")";
        return budget.name().label() + " was " + value + ", over its limit of "
                + budget.unit().format(budget.limit()) + note;
    }

    private static double seconds(PlanTimes plan) {
        return plan.startUs() == null || plan.endUs() == null ? 0 : Math.max(0, (plan.endUs() - plan.startUs()) / 1e6);
    }

    /** UTC, without a zone, as the format has it; none where the start is unknown or in no year of four digits. */
    private static String timestamp(PlanTimes plan) {
        Long startUs = plan.startUs();
        if (startUs == null || startUs < 0 || startUs >= YEAR_10000_US) {
            return "";
        }
        return " timestamp=\"" + WITHOUT_ZONE.format(Instant.ofEpochSecond(startUs / 1_000_000)) + "\"";
    }

    private void line(int depth, String content) {
        xml.append("  ".repeat(depth)).append(content).append('\n');
    }

    private static String text(String raw) {
        return carried(raw).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static String attribute(String raw) {
        return text(raw)
                .replace("\"", "&quot;")
                .replace("\r", "&#13;")
                .replace("\n", "&#10;")
                .replace("\t", "&#09;");
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
