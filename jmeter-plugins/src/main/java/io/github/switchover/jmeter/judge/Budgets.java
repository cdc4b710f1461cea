package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Durations;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.judge.Budget.Name;
import io.github.switchover.jmeter.run.BudgetUnit;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Budgets as people write them. */
public final class Budgets {

    private static final Pattern PERCENT = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)\\s*%");
    private static final Pattern COUNT = Pattern.compile("\\d{1,12}");

    private static final Pattern USUAL = Pattern.compile("usual\\s*(?:\\+\\s*\\d{1,3}\\s*%)?\\s*(?::(.*))?");

    /** A limit, and in parentheses where it comes from. */
    private static final Pattern NOTE = Pattern.compile("(.*?)\\s*\\((.*)\\)\\s*");

    /** A share, and behind the @ the confidence of its bound in percent. */
    private static final Pattern CONFIDENCE = Pattern.compile("(.*)@\\s*(\\d{1,2}(?:\\.\\d{1,3})?)\\s*%?");

    static final double USUAL_CONFIDENCE = 0.95;

    private Budgets() {}

    /**
     * {@code outage=5s}, {@code outage=usual+20%}, {@code failed=1%}, {@code failed=20}, {@code unexplained=0},
     * {@code lossy=1%@95}.
     */
    public static Budget parse(String text) {
        int equals = text.indexOf('=');
        String nameText = (equals < 0 ? text : text.substring(0, equals)).strip();
        String limit = equals < 0 ? "" : text.substring(equals + 1).strip();
        String budget = "budget " + ReadableText.quoted(text);
        Name name = Name.of(nameText)
                .orElseThrow(() -> new UsageException(budget + ": " + ReadableText.quoted(nameText)
                        + " is unknown; known: "
                        + Arrays.stream(Name.values()).map(Name::label).collect(Collectors.joining(", "))));
        if (limit.isEmpty()) {
            throw new UsageException(budget + " has no limit: write for example " + example(name));
        }
        if (name.isDuration()) {
            try {
                return duration(name, limit);
            } catch (UsageException error) {
                throw new UsageException(budget + ": " + error.getMessage(), error);
            }
        }
        Matcher bound = CONFIDENCE.matcher(limit);
        boolean hasConfidence = name.isBound() && bound.matches();
        Double confidence = name.isBound() ? (Double) USUAL_CONFIDENCE : null;
        if (hasConfidence) {
            confidence = Double.parseDouble(bound.group(2)) / 100;
            if (confidence == 0) {
                throw new UsageException(budget + ": a confidence is above 0 and below 100, such as 95");
            }
        }
        Matcher percent = PERCENT.matcher(hasConfidence ? bound.group(1).strip() : limit);
        if (percent.matches() && !name.isCount()) {
            // Not divided by 100: that would set 0.7% a little below the 7 of 1,000 that keep it.
            double share = Double.parseDouble(percent.group(1) + "e-2");
            if (share > 1) {
                throw new UsageException(budget + ": a share cannot exceed 100%");
            }
            return new Budget(name, share, BudgetUnit.SHARE, confidence, false, false, "");
        }
        if (!name.isBound() && COUNT.matcher(limit).matches()) {
            return new Budget(name, Double.parseDouble(limit), BudgetUnit.REQUESTS, false);
        }
        throw new UsageException(budget + ": " + ReadableText.quoted(limit) + " is no limit for " + name.label()
                + ": write for example " + example(name));
    }

    private static Budget duration(Name name, String text) {
        Matcher noted = NOTE.matcher(text);
        boolean hasNote = noted.matches();
        String limit = hasNote ? noted.group(1) : text;
        Matcher usual = USUAL.matcher(limit);
        boolean isUsual = name.isOfHistory() && usual.matches();
        String known = isUsual ? usual.group(1) : limit;
        Double milliseconds =
                known == null ? null : (Double) Numbers.round(Durations.parseSeconds(known) * Units.MS_PER_S, 6);
        return new Budget(
                name, milliseconds, BudgetUnit.MILLISECONDS, null, false, isUsual, hasNote ? noted.group(2) : "");
    }

    /** Those that were asked for when the run was started. */
    public static List<Budget> of(Run run) {
        return run.settings().budgets().stream().map(Budgets::parse).toList();
    }

    /**
     * Those asked for, one on split brain where it was to be measured, and one on the accounting where all traffic is ours:
     * {@code switchover report} decides it.
     */
    static List<Budget> withDefaults(List<Budget> asked, boolean splitBrainWitnessed, boolean exclusive) {
        List<Budget> all = new ArrayList<>(asked);
        if (splitBrainWitnessed && asked.stream().noneMatch(budget -> budget.name() == Name.SPLIT_BRAIN)) {
            all.add(new Budget(Name.SPLIT_BRAIN, 0.0, BudgetUnit.MILLISECONDS, true));
        }
        if (exclusive && asked.stream().noneMatch(budget -> budget.name() == Name.UNEXPLAINED)) {
            all.add(new Budget(Name.UNEXPLAINED, 0.0, BudgetUnit.REQUESTS, true));
        }
        return all;
    }

    private static String example(Name name) {
        if (name.isDuration()) {
            return name.label() + "=5s";
        }
        if (name.isBound()) {
            return name.label() + "=1%@95";
        }
        return name.isCount() ? name.label() + "=0" : name.label() + "=1% or " + name.label() + "=20";
    }
}
