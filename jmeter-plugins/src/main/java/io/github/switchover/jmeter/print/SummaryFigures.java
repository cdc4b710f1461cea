package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.judge.Measured;
import io.github.switchover.jmeter.judge.PhaseName;
import io.github.switchover.jmeter.run.BudgetUnit;
import io.github.switchover.jmeter.run.ChangeFigures;
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

    /** Changes that are listed one by one. */
    private static final int LISTED = 4;

    private static final double PER_MILLE = 1000;

    /** Less than any bound, and more than what binary fractions add. */
    private static final double ROUNDING = 1e-9;

    private SummaryFigures() {}

    private static final Map<PhaseName, String> WHERE = Map.of(
            PhaseName.BASELINE, "before the fault",
            PhaseName.DEGRADED, "between switchover and heal",
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
        addChanges(found, verdict.changes());
        found.add(splitBrain(verdict.owners()));
        return found;
    }

    /** What they cost in sum, and the first that lost something. */
    private static void addChanges(List<Figure> found, ChangeFigures changes) {
        if (changes == null) {
            return;
        }
        long underWay = changes.kinds().stream()
                .mapToLong(kind -> kind.losses().exposed())
                .sum();
        String share = changes.share().lossy() + " of " + changes.made() + " changes lost something: at most "
                + upperBound(changes.share().lossyHigh()) + " of all do, with 95 % confidence";
        found.add(new Figure(
                "lost by changes",
                Numbers.grouped(changes.lost()) + ", with " + Numbers.grouped(underWay) + " under way; " + share));
        found.add(new Figure("", waited(changes.delay())));
        changes.byChange().stream()
                .filter(change -> change.lost() > 0)
                .limit(LISTED)
                .forEach(change -> found.add(new Figure(
                        "", "change " + change.times().number() + ": " + Numbers.grouped(change.lost()) + " lost")));
    }

    /** Rounded up: {@code 1.1 %}, {@code 26 %}. */
    private static String upperBound(double share) {
        double percent = Math.ceil(share * PER_MILLE - ROUNDING) / 10;
        return (percent < 10 ? Numbers.fixed(percent, 1) : Numbers.fixed(Math.ceil(percent), 0)) + " %";
    }

    /** What a change added to a wait at most. */
    private static String waited(ChangeFigures.CausedDelay delay) {
        if (delay.delayLowMs() == null) {
            return "not known whether requests waited longer: nothing was answered both within a change and between"
                    + " changes";
        }
        Interval longer = new Interval(delay.delayLowMs(), delay.delayHighMs());
        return "the longest wait within a change was " + BudgetUnit.MILLISECONDS.figureText(longer, null)
                + " above what is usual between changes";
    }

    /** The count of the switchover is the one to quote; what fell elsewhere is named beside it. */
    private static void addQuoted(List<Figure> found, Population population, String name) {
        RequestCounts quoted = population.byPhase().get(PhaseName.SWITCHOVER.label());
        RequestCounts whole = population.whole();
        String unsent = whole.unsent() == 0
                ? ""
                : Numbers.grouped(whole.unsent()) + " more were not sent, or were ended by the client";
        if (quoted == null) {
            String failed = ofAll(whole, name);
            found.add(new Figure("failed", failed + (unsent.isEmpty() ? "" : "; " + unsent)));
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
        if (!unsent.isEmpty()) {
            found.add(new Figure("", unsent + ", in the whole run"));
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
