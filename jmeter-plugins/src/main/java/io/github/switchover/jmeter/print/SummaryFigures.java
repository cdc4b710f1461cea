package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.judge.Measured;
import io.github.switchover.jmeter.judge.PhaseName;
import io.github.switchover.jmeter.run.OwnerFigures;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The figures of a verdict as text, line by line. */
public final class SummaryFigures {

    private SummaryFigures() {}

    private static final Map<PhaseName, String> WHERE = Map.of(
            PhaseName.BASELINE, "before the fault",
            PhaseName.ON_BACKUP, "between switchover and heal",
            PhaseName.FAILBACK, "in the failback",
            PhaseName.RECOVERED, "after the failback");

    /** What a reader asks first, in this order, each in one line or two. */
    public static List<Figure> headlines(Run run, Verdict verdict) {
        List<Figure> found = new ArrayList<>();
        String cost = verdict.outage() == null ? Measured.unprobed(run) : FigureText.outage(verdict.outage());
        found.add(new Figure(run.change() == null ? "the pair cost" : "fresh connections", cost));
        if (verdict.failback() != null) {
            found.add(new Figure("its failback cost", FigureText.outage(verdict.failback())));
        }
        if (verdict.samples() != null) {
            addQuoted(found, verdict.samples(), "requests");
        } else if (verdict.probes() != null) {
            addQuoted(found, verdict.probes(), "probes");
        }
        found.add(splitBrain(verdict.owners()));
        return found;
    }

    /** The count of the switchover is the one to quote; what fell elsewhere is named beside it. */
    private static void addQuoted(List<Figure> found, Population population, String name) {
        RequestCounts quoted = population.byPhase().get(PhaseName.SWITCHOVER.label());
        RequestCounts whole = population.whole();
        if (quoted == null) {
            found.add(new Figure("failed", ofAll(whole, name)));
            return;
        }
        String late = quoted.late() == 0 ? "" : ", " + Numbers.grouped(quoted.late()) + " late";
        found.add(new Figure(
                "failed",
                quoted.total() == 0
                        ? "no " + name + " in the switchover"
                        : ofAll(quoted, name) + " of the switchover" + late + ": quote these"));
        String elsewhere = Stream.of(PhaseName.values())
                .filter(WHERE::containsKey)
                .filter(phase -> population.byPhase().containsKey(phase.label()))
                .filter(phase -> population.byPhase().get(phase.label()).failed() > 0)
                .map(phase ->
                        Numbers.grouped(population.byPhase().get(phase.label()).failed()) + " " + WHERE.get(phase))
                .collect(Collectors.joining(", "));
        if (!elsewhere.isEmpty()) {
            found.add(new Figure("", Numbers.grouped(whole.failed()) + " in the whole run: besides " + elsewhere));
        }
    }

    private static String ofAll(RequestCounts counts, String name) {
        return counts.total() == 0 ? "no " + name : FigureText.share(counts.failed(), counts.total()) + " " + name;
    }

    private static Figure splitBrain(OwnerFigures owners) {
        if (owners.splitBrainMs() == null) {
            return new Figure("split brain", "unknown");
        }
        if (owners.splitBrainMs() == 0) {
            return new Figure("split brain", FigureText.noSplitBrain(owners));
        }
        String how = owners.splitBrain().highMs() == null ? " as the lines arrived" : "";
        return new Figure("split brain", FigureText.milliseconds(owners.splitBrainMs()) + how);
    }
}
