package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.Status;
import io.github.switchover.jmeter.run.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The first thing to read: what is going on, or what it came to.
 *
 * @param says beside the word
 * @param lines below it: why, and what else is to be known
 */
public record Headline(Tone tone, String status, List<String> says, List<String> lines) {

    /** How it is meant. */
    public enum Tone {
        PLAIN,
        GOOD,
        WARN,
        BAD
    }

    /** Events that are shown while the run is on. */
    private static final int EVENTS = 3;

    private static final Headline NOTHING =
            new Headline(Tone.PLAIN, "no run yet", List.of("start the test"), List.of());

    public static Headline of(ViewState shown) {
        if (shown.trouble() != null) {
            return new Headline(Tone.BAD, "trouble", List.of(shown.trouble()), List.of());
        }
        RunSnapshot snapshot = shown.snapshot();
        if (snapshot == null) {
            return NOTHING;
        }
        return switch (snapshot.state()) {
            case RUNNING -> running(snapshot);
            case ENDED -> ended(snapshot);
            case JUDGED -> judged(snapshot);
        };
    }

    /** With what a run that is on has said last; null: nothing. */
    public Headline noting(String note) {
        if (note == null || says.contains(note) || lines.contains(note)) {
            return this;
        }
        if (equals(NOTHING)) {
            return new Headline(Tone.PLAIN, "waiting", List.of(note), List.of());
        }
        List<String> more = new ArrayList<>(lines);
        more.add(note);
        return new Headline(tone, status, says, List.copyOf(more));
    }

    private static Headline judged(RunSnapshot snapshot) {
        List<String> lines = snapshot.verdict().lines();
        List<String> says =
                lines.isEmpty() ? List.of("'switchover report' has judged this run again") : lines.subList(0, 1);
        List<String> more = lines.isEmpty() ? lines : lines.subList(1, lines.size());
        return new Headline(
                tone(snapshot.verdict()), snapshot.verdict().status().toLowerCase(Locale.ROOT), says, more);
    }

    private static Headline ended(RunSnapshot snapshot) {
        String error = snapshot.run().error();
        return error == null
                ? new Headline(
                        Tone.PLAIN, "ended", List.of("waiting for the verdict, if the run is to have one"), List.of())
                : new Headline(Tone.BAD, "trouble", List.of(error), List.of());
    }

    private static Headline running(RunSnapshot snapshot) {
        String where = where(snapshot);
        if (snapshot.run().error() != null) {
            return new Headline(Tone.BAD, "trouble", says(snapshot.run().error(), where), List.of());
        }
        boolean split = snapshot.address().holding().size() > 1;
        boolean drill =
                snapshot.run().fault() != null || snapshot.time().moments().firedFromUs() != null;
        String phase = snapshot.phase();
        Tone tone = split || phase.equals("switchover")
                ? Tone.BAD
                : phase.equals("on_backup") || phase.equals("failback") ? Tone.WARN : Tone.GOOD;
        long failed = snapshot.traffic().phases().stream()
                .mapToLong(counts -> counts.requests().failed())
                .sum();
        Double lost = lostSoFarMs(snapshot);
        return new Headline(
                tone,
                drill && !phase.isEmpty() ? phase : "running",
                says(
                        split ? "SPLIT BRAIN: " + where : where,
                        failed == 0 ? "" : ViewText.count(failed) + " requests failed so far",
                        lost == null
                                ? ""
                                : "outage so far ≈ " + ViewText.milliseconds(lost) + " by lost probes, provisional"),
                soFar(snapshot));
    }

    private static String where(RunSnapshot snapshot) {
        List<String> holding = snapshot.address().holding();
        if (holding.isEmpty()) {
            boolean observed = snapshot.address().nodes().stream().anyMatch(AddressHolder::observed);
            return observed ? "no node is known to hold the address" : "";
        }
        return String.join(" and ", holding) + (holding.size() > 1 ? " hold" : " holds") + " the address";
    }

    private static Tone tone(ShownVerdict verdict) {
        boolean isInconclusive = verdict.status().equals(Status.INCONCLUSIVE.text());
        return isInconclusive ? Tone.WARN : verdict.exitCode() == Verdict.EXIT_PASSED ? Tone.GOOD : Tone.BAD;
    }

    private static List<String> says(String... parts) {
        return List.of(parts).stream().filter(part -> !part.isEmpty()).toList();
    }

    /** The fault, what is predicted for it, split brain, and the last events. */
    private static List<String> soFar(RunSnapshot snapshot) {
        List<String> lines = new ArrayList<>();
        String fault = FaultState.of(snapshot);
        if (fault != null) {
            lines.add(fault);
        }
        FaultRun staged = snapshot.run().fault();
        if (staged != null && staged.prediction().predictLowMs() != null) {
            lines.add("predicted outage: "
                    + ViewText.range(
                            staged.prediction().predictLowMs(),
                            staged.prediction().predictHighMs()));
        }
        Double split = snapshot.address().splitBrainMs();
        if (split != null && split > 0) {
            String atLeast = snapshot.address().splitPartial() ? "at least " : "";
            lines.add("split brain so far: " + atLeast + ViewText.milliseconds(split));
        }
        List<RunEvent> events = snapshot.noted().events();
        events.stream()
                .skip(Math.max(0, events.size() - EVENTS))
                .map(event -> ViewText.clock(event.atUs()) + " " + event.kind().replace('_', ' ') + " " + event.text())
                .forEach(lines::add);
        return lines;
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
}
