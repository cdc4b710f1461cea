package io.github.switchover.jmeter.view.live;

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
        return snapshot.judgement() == null ? soFar(snapshot) : judged(snapshot);
    }

    /** Probes lost in the switchover, divided by their rate; null before a fault, or without probes. */
    static Double lostSoFarMs(RunSnapshot snapshot) {
        Double rate = snapshot.run().probeRate();
        PhaseCounts switchover = snapshot.phases().stream()
                .filter(counts -> counts.phase().equals("switchover"))
                .findFirst()
                .orElse(null);
        if (rate == null || rate == 0 || switchover == null || !snapshot.probed()) {
            return null;
        }
        return (switchover.probes().failed() + switchover.probes().late()) / rate * 1000;
    }

    static String outage(Judgement verdict) {
        return verdict.outage() == null && verdict.probes() == null
                ? "unknown: there was no metronome"
                : ViewText.outage(verdict.outage());
    }

    /** With what became of it, once that is known; null where nothing is predicted. */
    static String predicted(RunSnapshot snapshot) {
        Judgement verdict = snapshot.judgement();
        if (verdict != null && verdict.prediction() != null) {
            Boolean inside = verdict.prediction().inside();
            String word = inside == null ? "cannot be compared" : inside ? "inside" : "OUTSIDE";
            return ViewText.range(
                            verdict.prediction().lowMs(), verdict.prediction().highMs()) + ": " + word;
        }
        return snapshot.run().predictLowMs() == null
                ? null
                : ViewText.range(snapshot.run().predictLowMs(), snapshot.run().predictHighMs());
    }

    private static List<FigureLine> soFar(RunSnapshot snapshot) {
        List<FigureLine> lines = new ArrayList<>();
        FigureLine fault = FaultState.of(snapshot);
        if (fault != null) {
            lines.add(fault);
        }
        Double lost = lostSoFarMs(snapshot);
        boolean unprobed = snapshot.moments().firedUs() != null;
        lines.add(plain(
                "outage, by lost probes",
                lost != null ? "≈ " + ViewText.milliseconds(lost) : unprobed ? "unknown: no probes" : "no fault yet"));
        addPredicted(lines, snapshot);
        Double split = snapshot.splitBrainMs();
        String atLeast = snapshot.splitPartial() ? "at least " : "";
        lines.add(new FigureLine(
                "split brain",
                split == null ? NO_WITNESS : atLeast + (split == 0 ? "none" : ViewText.milliseconds(split)),
                split != null && split > 0));
        if (snapshot.samplesByKind() != null) {
            addKinds(lines, "failed requests", snapshot.samplesByKind());
        }
        addKinds(lines, "failed probes", snapshot.probesByKind());
        return lines;
    }

    private static List<FigureLine> judged(RunSnapshot snapshot) {
        Judgement verdict = snapshot.judgement();
        List<FigureLine> lines = new ArrayList<>();
        if (snapshot.state() == RunSnapshot.RunState.JUDGED) {
            Judgement.JudgedOutage outage = verdict.outage();
            lines.add(new FigureLine("outage", outage(verdict), outage != null && !outage.recovered()));
            if (outage != null && outage.lossDerivedMs() != null && outage.impaired() > 0) {
                lines.add(plain("by lost probes", ViewText.milliseconds(outage.lossDerivedMs())));
            }
            addPredicted(lines, snapshot);
            if (verdict.failback() != null) {
                lines.add(new FigureLine(
                        "failback",
                        ViewText.outage(verdict.failback()),
                        !verdict.failback().recovered()));
            }
            Double split = verdict.splitBrainMs();
            lines.add(new FigureLine(
                    "split brain",
                    split == null ? NO_WITNESS : split == 0 ? "none" : ViewText.milliseconds(split),
                    split != null && split > 0));
            lines.add(unexplained(verdict.reconciliation()));
        }
        if (verdict.samples() != null) {
            addKinds(lines, "failed requests", verdict.samples().whole().byKind());
        }
        if (verdict.probes() != null) {
            addKinds(lines, "failed probes", verdict.probes().whole().byKind());
        }
        return lines;
    }

    private static FigureLine unexplained(Judgement.Reconciliation found) {
        if (found == null) {
            return plain("unexplained", "told by switchover report");
        }
        Long number = found.unexplained();
        String nobody = found.exclusive() ? "not everything was counted" : "not all traffic is ours";
        return number == null
                ? plain("unexplained", "unknown: " + nobody)
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
