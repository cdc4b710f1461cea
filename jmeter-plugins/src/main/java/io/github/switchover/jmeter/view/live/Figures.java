package io.github.switchover.jmeter.view.live;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The figures: provisional ones while the run is on, then the verdict's. */
public final class Figures {

    /** Kinds of errors that one line names. */
    private static final int LISTED = 4;

    private static final String NO_WITNESS = "unknown: no witness on every balancer";

    private Figures() {}

    /** A name and its value; {@code alarm}: it should not be so. */
    public record Line(String name, String value, boolean alarm) {}

    public static List<Line> of(Picture picture) {
        return picture.judgement() == null ? soFar(picture) : judged(picture);
    }

    /** Probes lost in the switchover, divided by their rate; null before a fault, or without probes. */
    static Double lostSoFarMs(Picture picture) {
        Double rate = picture.run().probeRate();
        PhaseCounts switchover = picture.phases().stream()
                .filter(counts -> counts.phase().equals("switchover"))
                .findFirst()
                .orElse(null);
        if (rate == null || rate == 0 || switchover == null || !picture.probed()) {
            return null;
        }
        return (switchover.probes().failed() + switchover.probes().late()) / rate * 1000;
    }

    static String outage(Judgement verdict) {
        return verdict.outage() == null && verdict.probes() == null
                ? "unknown: there was no metronome"
                : Text.outage(verdict.outage());
    }

    /** With what became of it, once that is known; null where nothing is predicted. */
    static String predicted(Picture picture) {
        Judgement verdict = picture.judgement();
        if (verdict != null && verdict.prediction() != null) {
            Boolean inside = verdict.prediction().inside();
            String word = inside == null ? "cannot be compared" : inside ? "inside" : "OUTSIDE";
            return Text.range(verdict.prediction().lowMs(), verdict.prediction().highMs()) + ": " + word;
        }
        return picture.run().predictLowMs() == null
                ? null
                : Text.range(picture.run().predictLowMs(), picture.run().predictHighMs());
    }

    private static List<Line> soFar(Picture picture) {
        List<Line> lines = new ArrayList<>();
        Line fault = FaultState.of(picture);
        if (fault != null) {
            lines.add(fault);
        }
        Double lost = lostSoFarMs(picture);
        boolean unprobed = picture.moments().firedUs() != null;
        lines.add(plain(
                "outage, by lost probes",
                lost != null ? "≈ " + Text.milliseconds(lost) : unprobed ? "unknown: no probes" : "no fault yet"));
        addPredicted(lines, picture);
        Double split = picture.splitBrainMs();
        String atLeast = picture.splitPartial() ? "at least " : "";
        lines.add(new Line(
                "split brain",
                split == null ? NO_WITNESS : atLeast + (split == 0 ? "none" : Text.milliseconds(split)),
                split != null && split > 0));
        if (picture.samplesByKind() != null) {
            addKinds(lines, "failed requests", picture.samplesByKind());
        }
        addKinds(lines, "failed probes", picture.probesByKind());
        return lines;
    }

    private static List<Line> judged(Picture picture) {
        Judgement verdict = picture.judgement();
        List<Line> lines = new ArrayList<>();
        if (picture.state() == Picture.State.JUDGED) {
            Judgement.Outage outage = verdict.outage();
            lines.add(new Line("outage", outage(verdict), outage != null && !outage.recovered()));
            if (outage != null && outage.lossDerivedMs() != null && outage.impaired() > 0) {
                lines.add(plain("by lost probes", Text.milliseconds(outage.lossDerivedMs())));
            }
            addPredicted(lines, picture);
            if (verdict.failback() != null) {
                lines.add(new Line(
                        "failback",
                        Text.outage(verdict.failback()),
                        !verdict.failback().recovered()));
            }
            Double split = verdict.splitBrainMs();
            lines.add(new Line(
                    "split brain",
                    split == null ? NO_WITNESS : split == 0 ? "none" : Text.milliseconds(split),
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

    private static Line unexplained(Judgement.Reconciliation found) {
        if (found == null) {
            return plain("unexplained", "told by switchover report");
        }
        Long number = found.unexplained();
        String nobody = found.exclusive() ? "not everything was counted" : "not all traffic is ours";
        return number == null
                ? plain("unexplained", "unknown: " + nobody)
                : new Line("unexplained", Text.count(number) + " requests", number > 0);
    }

    private static void addPredicted(List<Line> lines, Picture picture) {
        String predicted = predicted(picture);
        if (predicted != null) {
            lines.add(new Line("predicted", predicted, predicted.endsWith("OUTSIDE")));
        }
    }

    /** The most frequent first. */
    private static void addKinds(List<Line> lines, String name, Map<String, Long> byKind) {
        if (byKind.isEmpty()) {
            return;
        }
        String kinds = byKind.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(LISTED)
                .map(entry -> Text.count(entry.getValue()) + " " + entry.getKey())
                .collect(Collectors.joining(", "));
        lines.add(new Line(name, byKind.size() > LISTED ? kinds + ", …" : kinds, true));
    }

    private static Line plain(String name, String value) {
        return new Line(name, value, false);
    }
}
