package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.LimitResult;
import io.github.switchover.jmeter.run.LimitState;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The verdict on one run as plain text that fits one screen: the word and why, what the pair cost, what users felt. */
public final class Summary {

    private static final int REASONS = 3;
    private static final int WARNINGS = 3;

    private Summary() {}

    /** {@code more}: where the reasons and warnings are that do not fit. */
    public static List<String> lines(Run run, Verdict verdict, String more) {
        List<String> lines = new ArrayList<>();
        lines.add(heading(run, verdict));
        addList(lines, "because", verdict.reasonTexts(), REASONS, more);
        List<Figure> figures = SummaryFigures.headlines(run, verdict);
        int width = figures.stream()
                        .mapToInt(figure -> figure.name().length())
                        .max()
                        .orElse(0)
                + 2;
        for (Figure figure : figures) {
            lines.add(figure.name() + " ".repeat(width - figure.name().length()) + figure.value());
        }
        addList(lines, "warning", verdict.warnings(), WARNINGS, more);
        lines.add(
                verdict.limits().isEmpty()
                        ? "no limit was given"
                        : verdict.limits().stream().map(Summary::limit).collect(Collectors.joining("   ")));
        return lines;
    }

    /** A limit, what became of it, and the figure: {@code outage=4s kept (3,757 to 3,784 ms)}. */
    public static String limit(LimitResult result) {
        String state = result.state().text();
        String status = result.state() == LimitState.EXCEEDED ? state.toUpperCase(Locale.ROOT) : state;
        return result.text() + " " + status + (result.low() == null ? "" : " (" + result.figureText() + ")");
    }

    private static String heading(Run run, Verdict verdict) {
        FaultRun fault = run.fault();
        FaultRun change = run.change();
        StringBuilder heading =
                new StringBuilder(verdict.status().text()).append("  ").append(run.id());
        if (change != null) {
            heading.append("  changes: ").append(change.name()).append(" on ");
            return heading.append(change.victim() == null ? "the target" : change.victim())
                    .toString();
        }
        if (fault != null && !fault.isNone()) {
            heading.append("  ").append(fault.name()).append(" on ");
            heading.append(fault.victim() == null ? "the target" : fault.victim());
            if (fault.backup() != null && fault.kind().equals(FaultRun.MASTER)) {
                heading.append(", backup ").append(fault.backup());
            }
        }
        return heading.toString();
    }

    private static void addList(List<String> lines, String status, List<String> all, int limit, String more) {
        all.stream().limit(limit).forEach(line -> lines.add(status + ": " + line));
        if (all.size() > limit) {
            lines.add("and " + (all.size() - limit) + " more, " + more);
        }
    }
}
