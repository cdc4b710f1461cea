package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.print.FigureText;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.OutageFigures;
import io.github.switchover.jmeter.run.RequestFigures.Reconciliation;
import io.github.switchover.jmeter.run.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The figures: provisional ones while the run is on, then the verdict's. */
public final class ShownFigures {

    /** Kinds of errors that one line names. */
    private static final int LISTED = 4;

    private static final String NO_WITNESS = "unknown: no witness on every balancer";

    private ShownFigures() {}

    /** A name and its value; {@code alarm}: it should not be so. */
    public record FigureLine(String name, String value, boolean alarm) {}

    public static List<FigureLine> of(RunSnapshot snapshot) {
        return snapshot.verdict() == null ? soFar(snapshot) : judged(snapshot);
    }

    /** Probes lost in the switchover, divided by their rate; null before a fault, or without probes. */
    static Double lostSoFarMs(RunSnapshot snapshot) {
        Double rate = snapshot.run().probeRate();
        PhaseCounts switchover = snapshot.traffic().phases().stream()
                .filter(counts -> counts.phase().equals("switchover"))
                .findFirst()
                .orElse(null);
        if (rate == null || rate == 0 || switchover == null || !snapshot.probed()) {
            return null;
        }
        return (switchover.probes().failed() + switchover.probes().late()) / rate * Units.MS_PER_S;
    }

    static String outage(Verdict verdict) {
        return verdict.outage() == null && verdict.probes() == null
                ? "unknown: there was no metronome"
                : outage(verdict.outage());
    }

    private static String outage(OutageFigures outage) {
        return outage == null ? ViewText.UNKNOWN : FigureText.outage(outage);
    }

    /** With what became of it, once that is known; null where nothing is predicted. */
    static String predicted(RunSnapshot snapshot) {
        Verdict verdict = snapshot.verdict();
        if (verdict != null && verdict.service().prediction() != null) {
            Boolean inside = verdict.service().prediction().inside();
            String word = inside == null ? "cannot be compared" : inside ? "inside" : "OUTSIDE";
            return ViewText.range(
                            verdict.service().prediction().lowMs(),
                            verdict.service().prediction().highMs()) + ": " + word;
        }
        FaultRun fault = snapshot.run().fault();
        return fault == null || fault.prediction().predictLowMs() == null
                ? null
                : ViewText.range(
                        fault.prediction().predictLowMs(), fault.prediction().predictHighMs());
    }

    private static List<FigureLine> soFar(RunSnapshot snapshot) {
        List<FigureLine> lines = new ArrayList<>();
        FigureLine fault = FaultState.of(snapshot);
        if (fault != null) {
            lines.add(fault);
        }
        Double lost = lostSoFarMs(snapshot);
        boolean unprobed = snapshot.time().moments().firedFromUs() != null;
        lines.add(plain(
                "outage, by lost probes",
                lost != null ? "≈ " + ViewText.milliseconds(lost) : unprobed ? "unknown: no probes" : "no fault yet"));
        addPredicted(lines, snapshot);
        Double split = snapshot.address().splitBrainMs();
        String atLeast = snapshot.address().splitPartial() ? "at least " : "";
        lines.add(new FigureLine(
                "split brain",
                split == null ? NO_WITNESS : atLeast + (split == 0 ? "none" : ViewText.milliseconds(split)),
                split != null && split > 0));
        if (snapshot.noted().samplesByKind() != null) {
            addKinds(lines, "failed requests", snapshot.noted().samplesByKind());
        }
        addKinds(lines, "failed probes", snapshot.noted().probesByKind());
        return lines;
    }

    private static List<FigureLine> judged(RunSnapshot snapshot) {
        Verdict verdict = snapshot.verdict();
        List<FigureLine> lines = new ArrayList<>();
        if (snapshot.state() == RunSnapshot.RunState.JUDGED) {
            OutageFigures outage = verdict.outage();
            lines.add(new FigureLine("outage", outage(verdict), outage != null && !outage.recovered()));
            if (outage != null
                    && outage.lossDerivedMs() != null
                    && outage.sums().impaired() > 0) {
                lines.add(plain("by lost probes", ViewText.milliseconds(outage.lossDerivedMs())));
            }
            addPredicted(lines, snapshot);
            if (verdict.failback() != null) {
                lines.add(new FigureLine(
                        "failback",
                        FigureText.outage(verdict.failback()),
                        !verdict.failback().recovered()));
            }
            Double split = verdict.owners().splitBrainMs();
            lines.add(new FigureLine(
                    "split brain",
                    split == null
                            ? NO_WITNESS
                            : split == 0 ? FigureText.noSplitBrain(verdict.owners()) : ViewText.milliseconds(split),
                    split != null && split > 0));
            lines.add(unexplained(verdict.requests().reconciliation()));
        }
        if (verdict.samples() != null) {
            addKinds(lines, "failed requests", verdict.samples().whole().byKind());
        }
        if (verdict.probes() != null) {
            addKinds(lines, "failed probes", verdict.probes().whole().byKind());
        }
        return lines;
    }

    private static FigureLine unexplained(Reconciliation found) {
        if (found == null) {
            return plain("unexplained", "see switchover report");
        }
        Long number = found.unexplained();
        String why = found.exclusive() ? "not everything was counted" : "not all traffic is ours";
        return number == null
                ? plain("unexplained", "unknown: " + why)
                : new FigureLine("unexplained", ViewText.count(number) + " requests", number > 0);
    }

    private static void addPredicted(List<FigureLine> lines, RunSnapshot snapshot) {
        String predicted = predicted(snapshot);
        if (predicted != null) {
            lines.add(new FigureLine("predicted", predicted, predicted.endsWith("OUTSIDE")));
        }
    }

    /** The most frequent first. */
    private static void addKinds(List<FigureLine> lines, String name, Map<String, Long> byKind) {
        if (byKind.isEmpty()) {
            return;
        }
        String kinds = byKind.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(LISTED)
                .map(entry -> ViewText.count(entry.getValue()) + " " + entry.getKey())
                .collect(Collectors.joining(", "));
        lines.add(new FigureLine(name, byKind.size() > LISTED ? kinds + ", …" : kinds, true));
    }

    private static FigureLine plain(String name, String value) {
        return new FigureLine(name, value, false);
    }
}
