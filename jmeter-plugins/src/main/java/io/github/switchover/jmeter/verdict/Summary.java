package io.github.switchover.jmeter.verdict;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Span.Interval;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.verdict.Limit.LimitResult;
import io.github.switchover.jmeter.verdict.Limit.LimitResult.LimitState;
import io.github.switchover.jmeter.verdict.Phases.Phase.PhaseName;
import io.github.switchover.jmeter.verdict.Verdict.Status;
import io.github.switchover.jmeter.verdict.Verdict.VerdictReason;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The verdict on one run as text for one screen, in the form of {@code switchover report}: limits, reasons, figures. */
public final class Summary {

    /** The highest number of reasons, and of warnings, that are shown. */
    private static final int SHOWN = 3;

    /** The largest rounding error of a binary fraction, in milliseconds. */
    private static final double EXACT = 1e-6;

    private static final Map<LimitState, String> MARKS = Map.of(
            LimitState.KEPT, "✓", LimitState.EXCEEDED, "✗", LimitState.INCONCLUSIVE, "?", LimitState.UNMEASURED, "?");

    /** Returns the lines. {@code more} names the place of the reasons and warnings that do not fit. */
    public static List<String> lines(Run run, Verdict verdict, String more) {
        List<String> lines = new ArrayList<>(List.of(heading(run, verdict)));
        List<LimitResult> limits = verdict.limits();
        if (limits.stream().anyMatch(result -> !result.limit().isDefault() || result.state() != LimitState.KEPT)) {
            limits.forEach(result -> lines.add(limit(result)));
        }
        addList(lines, "Why", verdict.reasonTexts(), more);
        List<VerdictReason> first = verdict.loudestFirst().limit(1).toList();
        first.forEach(reason -> lines.add(row("Cause", reason.code().cause())));
        Map<String, String> figures = figures(run, verdict.figures());
        if (verdict.status() == Status.INVALID) {
            String seen = figures.entrySet().stream()
                    .map(figure -> figure.getKey().toLowerCase(Locale.ROOT) + " " + figure.getValue())
                    .collect(Collectors.joining(", "));
            lines.add(row("Seen", seen + " (do not quote)"));
        } else {
            figures.forEach((name, value) -> lines.add(row(name, value)));
        }
        addList(lines, "Warning", verdict.warnings(), more);
        first.forEach(reason -> lines.add(row("Next", reason.code().remedy())));
        lines.add(row("Run", requireNonNull(run.id())));
        return lines;
    }

    private static String heading(Run run, Verdict verdict) {
        FaultRun fault = run.fault();
        Status status = verdict.status();
        String note = status == Status.MEASURED ? "no limit set" : "exit " + verdict.exitCode();
        String heading =
                status.text() + (verdict.exitCode() == 0 && status != Status.MEASURED ? "" : " (" + note + ")");
        return fault.isNone()
                ? heading
                : heading + "  " + fault.name() + " on " + fault.tree().text("victim", "the target");
    }

    private static String row(String name, String value) {
        return markedRow("", name, value);
    }

    private static String markedRow(String mark, String name, String value) {
        return String.format("%-2s%-12s%s", mark, name, value);
    }

    private static void addList(List<String> lines, String name, List<String> all, String more) {
        all.stream().limit(SHOWN).forEach(line -> lines.add(row(name, line)));
        if (all.size() > SHOWN) {
            lines.add(row("", "and " + (all.size() - SHOWN) + " more, " + more));
        }
    }

    private static Map<String, String> figures(Run run, Tree figures) {
        Map<String, String> rows = new LinkedHashMap<>();
        rows.put(
                "Outage",
                figures.has("outage") ? outage(figures.child("outage")) : "unknown: " + LimitCheck.unprobed(run));
        if (figures.has("failback")) {
            rows.put("Failback", outage(figures.child("failback")));
        }
        boolean hasLoad = figures.has("samples");
        if (hasLoad || figures.has("probes")) {
            boolean isSeen = figures.has("outage")
                    && !figures.child("outage").text("kind", "").equals("none");
            rows.put(
                    "Failed",
                    failed(
                            figures.child(hasLoad ? "samples" : "probes"),
                            hasLoad ? "requests" : "probes",
                            isSeen ? " during the outage" : " after the fault"));
        }
        rows.put("Split brain", figures.has("split_brain_ms") ? "none" : "unknown");
        return rows;
    }

    private static String outage(Tree outage) {
        String kind = outage.text("kind", "");
        String note = switch (kind) {
            case "none" -> " none seen";
            case "partial" -> " partial: some requests were answered";
            default -> "";
        };
        return length(outage) + note + (outage.is("recovered") ? "" : " not recovered");
    }

    /** Returns {@code 3.41 s (3.409–3.412)}; without an outage, the longest outage that the probes could have missed. */
    static String length(Tree outage) {
        return outage.text("kind", "").equals("none")
                ? atMost(requireNonNull(outage.number("detection_limit_ms")))
                : duration(requireNonNull(outage.number("low_ms")), outage.number("high_ms"));
    }

    /** The failures in the switchover and in the whole run. */
    private static String failed(Tree counted, String noun, String when) {
        long inAll = counted.whole("failed", 0);
        Tree phases = counted.child("by_phase");
        if (!phases.has(PhaseName.SWITCHOVER.label())) {
            return share(counted, noun);
        }
        Tree switchover = phases.child(PhaseName.SWITCHOVER.label());
        long late = switchover.whole("late", 0);
        return share(switchover, noun)
                + when
                + (late == 0 ? "" : ", " + Numbers.grouped(late) + " late")
                + (inAll == switchover.whole("failed", 0) ? "" : ", " + Numbers.grouped(inAll) + " failed in all");
    }

    /** Returns {@code 12 of 4,000 requests}. */
    private static String share(Tree counts, String noun) {
        long total = counts.whole("total", 0);
        String failed = Numbers.grouped(counts.whole("failed", 0)) + " of " + Numbers.grouped(total);
        return (total == 0 ? "no" : failed) + " " + noun;
    }

    /** A limit with its figure: {@code ✓ Outage 3.78 s (3.757–3.784)   limit 4s}. */
    private static String limit(LimitResult result) {
        String label = result.name().replace('-', ' ');
        String name = label.substring(0, 1).toUpperCase(Locale.ROOT) + label.substring(1);
        Interval figure = result.figure();
        String value = figure == null ? "not measured" : result.isTime() ? limited(figure) : result.figureText();
        return markedRow(
                requireNonNull(MARKS.get(result.state())),
                name,
                value + "   limit " + result.limit().maximum());
    }

    /** Returns {@code ≤ 41 ms} for an interval from zero, otherwise the duration with its interval. */
    private static String limited(Interval ms) {
        Double high = ms.high();
        if (high == null || (ms.low() > 0 && ms.low() < high)) {
            return duration(ms.low(), high);
        }
        if (high == 0) {
            return "none";
        }
        return ms.low() == 0 ? atMost(high) : rounded(high, RoundingMode.HALF_UP);
    }

    private static String duration(double lowMs, @Nullable Double highMs) {
        return highMs == null
                ? "≥ " + rounded(lowMs, RoundingMode.FLOOR)
                : rounded(highMs, RoundingMode.HALF_UP) + " (" + bounds(lowMs, highMs) + ")";
    }

    private static String atMost(double ms) {
        return "≤ " + rounded(ms, RoundingMode.CEILING);
    }

    /** Below one second in milliseconds, otherwise in seconds with two decimals. */
    private static String rounded(double ms, RoundingMode mode) {
        BigDecimal exact = BigDecimal.valueOf(ms);
        long whole = exact.setScale(0, mode).longValue();
        return whole < Units.MS_PER_S
                ? Numbers.grouped(whole) + " ms"
                : String.format(Locale.ROOT, "%,.2f s", exact.movePointLeft(3).setScale(2, mode));
    }

    /** An interval that is rounded outwards: {@code 3.409–3.412} in seconds, or {@code 2–6 ms}. */
    private static String bounds(double lowMs, double highMs) {
        double low = Math.floor(lowMs + EXACT);
        double high = Math.ceil(highMs - EXACT) + 0.0; // no -0
        return highMs < Units.MS_PER_S - 0.5
                ? Numbers.grouped(low, 0) + "–" + Numbers.grouped(high, 0) + " ms"
                : Numbers.grouped(low / Units.MS_PER_S, 3) + "–" + Numbers.grouped(high / Units.MS_PER_S, 3);
    }
}
