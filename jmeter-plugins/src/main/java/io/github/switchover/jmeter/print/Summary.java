package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.judge.Budget;
import io.github.switchover.jmeter.judge.BudgetResult;
import io.github.switchover.jmeter.judge.Verdict;
import io.github.switchover.jmeter.run.FaultRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The verdict on one run as plain text that fits one screen. */
public final class Summary {

    private static final int LISTED = 4;

    private Summary() {}

    public static List<String> lines(Verdict verdict) {
        List<String> lines = new ArrayList<>();
        lines.add(heading(verdict));
        addList(lines, "because", verdict.reasons());
        List<Figure> figures = SummaryFigures.of(verdict);
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
            lines.add("reconciliation: told by switchover report, and so is its budget");
        }
        return lines;
    }

    private static String heading(Verdict verdict) {
        FaultRun fault = verdict.run().fault();
        StringBuilder heading = new StringBuilder(word(verdict).toUpperCase(Locale.ROOT))
                .append("  ")
                .append(verdict.run().id());
        if (fault != null && !fault.kind().equals(FaultRun.NONE)) {
            heading.append("  ").append(fault.name()).append(" on ");
            heading.append(fault.victim() == null ? "the target" : fault.victim());
            if (fault.backup() != null && fault.kind().equals(FaultRun.MASTER)) {
                heading.append(", backup ").append(fault.backup());
            }
        }
        return heading.toString();
    }

    /**
     * Without a budget on it a service may stay away, or fail every request, and break none; nobody shall read that as
     * passed.
     */
    static String word(Verdict verdict) {
        return switch (verdict.exitCode()) {
            case Verdict.EXIT_UNTRUSTED -> "not trusted";
            case Verdict.EXIT_BROKEN -> "failed";
            default -> well(verdict);
        };
    }

    private static String well(Verdict verdict) {
        String word = verdict.budgets().isEmpty() ? "measured" : "passed";
        return verdict.recovered() ? word : "not recovered";
    }

    private static void addList(List<String> lines, String word, List<String> told) {
        told.stream().limit(LISTED).forEach(line -> lines.add(word + ": " + line));
        if (told.size() > LISTED) {
            lines.add("and " + (told.size() - LISTED) + " more, in verdict.json");
        }
    }

    private static String budget(BudgetResult result) {
        Budget budget = result.budget();
        String word = result.passed() == null ? "unknown" : result.passed() ? "kept" : "BROKEN";
        String value = result.value() == null ? "" : " (" + budget.unit().format(result.value()) + ")";
        return budget + " " + word + value;
    }

    private static int width(List<String> column) {
        return column.stream().mapToInt(String::length).max().orElse(0) + 2;
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(width - text.length());
    }
}
