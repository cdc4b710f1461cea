package io.github.switchover.jmeter.judge;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.judge.Limit.LimitResult;
import io.github.switchover.jmeter.judge.Phases.Phase.PhaseName;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The verdict on one run as plain text for one screen. */
public final class Summary {

    /** The highest number of reasons, and of warnings, that are shown. */
    private static final int SHOWN = 3;

    private static final String ROW = "%-19s%s";

    /** Returns the lines. {@code more} names the place of the reasons and warnings that do not fit. */
    public static List<String> lines(Run run, Verdict verdict, String more) {
        List<String> lines = new ArrayList<>();
        Tree figures = verdict.figures();
        lines.add(heading(run, verdict));
        addList(lines, "because", verdict.reasonTexts(), more);
        verdict.loudestFirst()
                .findFirst()
                .ifPresent(reason -> lines.add("next: " + reason.code().remedy()));
        String cost = figures.has("outage") ? outage(figures.child("outage")) : LimitCheck.unprobed(run);
        lines.add(String.format(ROW, "outage", cost));
        if (figures.has("failback")) {
            lines.add(String.format(ROW, "failback", outage(figures.child("failback"))));
        }
        String counted = figures.has("samples") ? "samples" : "probes";
        if (figures.has(counted)) {
            String name = counted.equals("samples") ? "requests" : counted;
            lines.add(String.format(ROW, "failed", failed(figures.child(counted), name)));
        }
        lines.add(String.format(ROW, "split brain", figures.has("split_brain_ms") ? "none" : "unknown"));
        addList(lines, "warning", verdict.warnings(), more);
        lines.add(
                verdict.limits().isEmpty()
                        ? "no limit was given"
                        : verdict.limits().stream().map(Summary::limit).collect(Collectors.joining("   ")));
        return lines;
    }

    private static String heading(Run run, Verdict verdict) {
        FaultRun fault = run.fault();
        String heading = verdict.status().text() + "  " + run.id();
        if (fault.isNone()) {
            return heading;
        }
        boolean hasBackup = fault.backup() != null && fault.kind().equals(FaultRun.MASTER);
        return heading + "  " + fault.name() + " on " + fault.tree().text("victim", "the target")
                + (hasBackup ? ", backup " + fault.backup() : "");
    }

    private static void addList(List<String> lines, String status, List<String> all, String more) {
        all.stream().limit(SHOWN).forEach(line -> lines.add(status + ": " + line));
        if (all.size() > SHOWN) {
            lines.add("and " + (all.size() - SHOWN) + " more, " + more);
        }
    }

    /** Returns {@code 3,412 ms (−2/+0)}; without an outage, the longest outage that the probes could have missed. */
    static String outage(Tree outage) {
        if (outage.text("kind", "").equals("none")) {
            return "none longer than " + atMost(requireNonNull(outage.number("detection_limit_ms")));
        }
        boolean isPartial = outage.text("kind", "").equals("partial");
        long lowUs = microseconds(requireNonNull(outage.number("low_ms")));
        if (!outage.has("high_ms")) {
            // A lower bound is not rounded up.
            return "at least " + Numbers.grouped(lowUs / Units.US_PER_MS) + " ms, not recovered"
                    + (isPartial ? ", partial" : "");
        }
        long highUs = microseconds(requireNonNull(outage.number("high_ms")));
        long shownMs = (highUs + 500) / Units.US_PER_MS;
        long earlyMs = Math.min(shownMs, (highUs - lowUs + 999) / Units.US_PER_MS);
        return Numbers.grouped(shownMs) + " ms (−" + Numbers.grouped(earlyMs) + "/+0)" + (isPartial ? ", partial" : "")
                + (outage.is("recovered") ? "" : ", not recovered");
    }

    /** The failures in the switchover and in the whole run. */
    private static String failed(Tree counted, String name) {
        Tree phases = counted.child("by_phase");
        if (!phases.has(PhaseName.SWITCHOVER.label())) {
            return share(counted, name);
        }
        Tree quoted = phases.child(PhaseName.SWITCHOVER.label());
        long late = quoted.whole("late", 0);
        return share(quoted, name) + " of the switchover" + (late == 0 ? "" : ", " + Numbers.grouped(late) + " late")
                + "; " + Numbers.grouped(counted.whole("failed", 0)) + " in the whole run";
    }

    /** {@code 12 of 4,000 (0.3 %) requests} */
    private static String share(Tree counts, String name) {
        long total = counts.whole("total", 0);
        long failed = counts.whole("failed", 0);
        return total == 0
                ? "no " + name
                : Numbers.grouped(failed) + " of " + Numbers.grouped(total) + " ("
                        + Numbers.fixed(failed * 100.0 / total, 1) + " %) " + name;
    }

    /** A limit, its result, and the figure: {@code outage=4s kept (3,757 to 3,784 ms)}. */
    private static String limit(LimitResult result) {
        String state = result.state().text();
        String status = result.state() == LimitResult.LimitState.EXCEEDED ? state.toUpperCase(Locale.ROOT) : state;
        return result.limit().text() + " " + status + (result.figure() == null ? "" : " (" + result.figureText() + ")");
    }

    /** An upper bound in whole milliseconds, rounded up. */
    private static String atMost(double ms) {
        return Numbers.grouped(-Math.floorDiv(-microseconds(ms), Units.US_PER_MS)) + " ms";
    }

    /** The milliseconds have three decimals, so a double has them with an error below one microsecond. */
    private static long microseconds(double ms) {
        return Math.round(ms * Units.US_PER_MS);
    }
}
