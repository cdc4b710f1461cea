package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.run.BudgetResult;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The verdict on one run as plain text that fits one screen. */
public final class Summary {

    private static final int LISTED = 4;

    private Summary() {}

    public static List<String> lines(Run run, Verdict verdict) {
        List<String> lines = new ArrayList<>();
        lines.add(heading(run, verdict));
        addList(lines, "because", verdict.reasons());
        List<Figure> figures = SummaryFigures.of(run, verdict);
        int nameWidth = width(figures.stream().map(Figure::name).toList());
        int valueWidth = width(figures.stream().map(Figure::value).toList());
        for (Figure figure : figures) {
            lines.add((padded(figure.name(), nameWidth) + padded(figure.value(), valueWidth) + figure.witness())
                    .stripTrailing());
        }
        addList(lines, "warning", verdict.warnings());
        lines.add(
                verdict.budgets().isEmpty()
                        ? "no budget was given"
                        : verdict.budgets().stream().map(Summary::budget).collect(Collectors.joining("   ")));
        if (verdict.passed() == null) {
            lines.add("reconciliation and its budget: see switchover report");
        }
        return lines;
    }

    private static String heading(Run run, Verdict verdict) {
        FaultRun fault = run.fault();
        StringBuilder heading = new StringBuilder(verdict.word().toUpperCase(Locale.ROOT))
                .append("  ")
                .append(run.id());
        if (fault != null && !fault.isNone()) {
            heading.append("  ").append(fault.name()).append(" on ");
            heading.append(fault.victim() == null ? "the target" : fault.victim());
            if (fault.backup() != null && fault.kind().equals(FaultRun.MASTER)) {
                heading.append(", backup ").append(fault.backup());
            }
        }
        return heading.toString();
    }

    private static void addList(List<String> lines, String word, List<String> all) {
        all.stream().limit(LISTED).forEach(line -> lines.add(word + ": " + line));
        if (all.size() > LISTED) {
            lines.add("and " + (all.size() - LISTED) + " more, in verdict.json");
        }
    }

    private static String budget(BudgetResult result) {
        String word = result.passed() == null ? "unknown" : result.passed() ? "kept" : "BROKEN";
        String value = result.value() == null ? "" : " (" + result.unit().format(result.value()) + ")";
        return result.text() + " " + word + value;
    }

    private static int width(List<String> column) {
        return column.stream().mapToInt(String::length).max().orElse(0) + 2;
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(width - text.length());
    }
}
