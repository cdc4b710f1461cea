package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Durations;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.judge.Limit.Name;
import io.github.switchover.jmeter.run.LimitUnit;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Limits as people write them. */
public final class Limits {

    private static final Pattern PERCENT = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)\\s*%");
    private static final Pattern COUNT = Pattern.compile("\\d{1,12}");

    private static final Pattern USUAL = Pattern.compile("usual\\s*(?:\\+\\s*\\d{1,3}\\s*%)?\\s*(?::(.*))?");

    /** A limit, and in parentheses where it comes from. */
    private static final Pattern NOTE = Pattern.compile("(.*?)\\s*\\((.*)\\)\\s*");

    /** A share, and behind the @ the confidence of its bound in percent. */
    private static final Pattern CONFIDENCE = Pattern.compile("(.*)@\\s*(\\d{1,2}(?:\\.\\d{1,3})?)\\s*%?");

    static final double USUAL_CONFIDENCE = 0.95;

    private Limits() {}

    /**
     * {@code outage=5s}, {@code outage=usual+20%}, {@code failed=1%}, {@code failed=20}, {@code unaccounted=0},
     * {@code lossy=1%@95}.
     */
    public static Limit parse(String text) {
        int equals = text.indexOf('=');
        String nameText = (equals < 0 ? text : text.substring(0, equals)).strip();
        String most = equals < 0 ? "" : text.substring(equals + 1).strip();
        String limit = "limit " + ReadableText.quoted(text);
        Name name = Name.of(nameText)
                .orElseThrow(() -> new UsageException(limit + ": " + ReadableText.quoted(nameText)
                        + " is unknown; known: "
                        + Arrays.stream(Name.values()).map(Name::label).collect(Collectors.joining(", "))));
        if (most.isEmpty()) {
            throw new UsageException(limit + " has no maximum: write for example " + example(name));
        }
        if (name.isDuration()) {
            try {
                return duration(name, most);
            } catch (UsageException error) {
                throw new UsageException(limit + ": " + error.getMessage(), error);
            }
        }
        Matcher bound = CONFIDENCE.matcher(most);
        boolean hasConfidence = name.isBound() && bound.matches();
        Double confidence = name.isBound() ? (Double) USUAL_CONFIDENCE : null;
        if (hasConfidence) {
            confidence = Double.parseDouble(bound.group(2)) / 100;
            if (confidence == 0) {
                throw new UsageException(limit + ": a confidence is above 0 and below 100, such as 95");
            }
        }
        Matcher percent = PERCENT.matcher(hasConfidence ? bound.group(1).strip() : most);
        if (percent.matches() && !name.isCount()) {
            // Not divided by 100: that would set 0.7% a little below the 7 of 1,000 that keep it.
            double share = Double.parseDouble(percent.group(1) + "e-2");
            if (share > 1) {
                throw new UsageException(limit + ": a share cannot exceed 100%");
            }
            return new Limit(name, share, LimitUnit.SHARE, confidence, false, false, "");
        }
        if (!name.isBound() && COUNT.matcher(most).matches()) {
            return new Limit(name, Double.parseDouble(most), LimitUnit.REQUESTS, false);
        }
        throw new UsageException(limit + ": " + ReadableText.quoted(most) + " is no most for " + name.label()
                + ": write for example " + example(name));
    }

    private static Limit duration(Name name, String text) {
        Matcher noted = NOTE.matcher(text);
        boolean hasNote = noted.matches();
        String limit = hasNote ? noted.group(1) : text;
        Matcher usual = USUAL.matcher(limit);
        boolean isUsual = name.isOfHistory() && usual.matches();
        String known = isUsual ? usual.group(1) : limit;
        Double milliseconds =
                known == null ? null : (Double) Numbers.round(Durations.parseSeconds(known) * Units.MS_PER_S, 6);
        return new Limit(
                name, milliseconds, LimitUnit.MILLISECONDS, null, false, isUsual, hasNote ? noted.group(2) : "");
    }

    /** Those that were asked for when the run was started. */
    public static List<Limit> of(Run run) {
        return run.settings().limits().stream().map(Limits::parse).toList();
    }

    /**
     * Those asked for, one on split brain where it was to be measured, and one on the accounting where all traffic is ours:
     * {@code switchover report} decides it.
     */
    static List<Limit> withDefaults(List<Limit> asked, boolean splitBrainObserved, boolean dedicated) {
        List<Limit> all = new ArrayList<>(asked);
        if (splitBrainObserved && asked.stream().noneMatch(limit -> limit.name() == Name.SPLIT_BRAIN)) {
            all.add(new Limit(Name.SPLIT_BRAIN, 0.0, LimitUnit.MILLISECONDS, true));
        }
        if (dedicated && asked.stream().noneMatch(limit -> limit.name() == Name.UNACCOUNTED)) {
            all.add(new Limit(Name.UNACCOUNTED, 0.0, LimitUnit.REQUESTS, true));
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
