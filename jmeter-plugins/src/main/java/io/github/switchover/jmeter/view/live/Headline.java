package io.github.switchover.jmeter.view.live;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.drill.RunResult;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.verdict.Phases;
import io.github.switchover.jmeter.verdict.Verdict.Status;
import io.github.switchover.jmeter.view.live.LiveTraffic.Ended;
import io.github.switchover.jmeter.view.live.LiveTraffic.SecondCounts;
import io.github.switchover.jmeter.view.live.RunSnapshot.Holder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;

/** The headline: the state of the run, or its result, with the reason and further facts. */
public record Headline(Tone tone, String status, List<String> lines) {

    /** The meaning of a headline, which decides its colour. */
    public enum Tone {
        PLAIN,
        GOOD,
        WARN,
        BAD
    }

    public static final Headline NOTHING = new Headline(Tone.PLAIN, "no run yet", List.of("start the test"));

    public static Headline of(RunSnapshot snapshot) {
        String error = snapshot.run().fault().error();
        if (snapshot.state().result() != null) {
            return judged(snapshot.state().result());
        }
        if (!error.isEmpty()) {
            return new Headline(Tone.BAD, "trouble", List.of(error));
        }
        return snapshot.isRunning()
                ? running(snapshot)
                : new Headline(Tone.PLAIN, "ended", List.of("waiting for the verdict, if the run is to have one"));
    }

    public Headline noting(String note) {
        if (note.isEmpty() || lines.contains(note)) {
            return this;
        }
        List<String> more = new ArrayList<>(equals(NOTHING) ? List.of() : lines);
        more.add(note);
        return new Headline(tone, equals(NOTHING) ? "waiting" : status, more);
    }

    private static Headline judged(RunResult result) {
        Status status =
                result.verdict() == null ? Status.INVALID : result.verdict().status();
        Tone other = status == Status.INCONCLUSIVE ? Tone.WARN : Tone.BAD;
        return new Headline(
                status.exitCode() == 0 ? Tone.GOOD : other, status.text().toLowerCase(Locale.ROOT), result.summary());
    }

    private static Headline running(RunSnapshot snapshot) {
        boolean isFired = snapshot.moments().firedFromUs() != null;
        boolean isSplit = snapshot.holding().size() > 1;
        List<String> parts = new ArrayList<>();
        parts.add((isSplit ? "SPLIT BRAIN: " : "") + where(snapshot));
        long failed = snapshot.traffic().seconds().stream()
                .mapToLong(second -> second.requests().failed())
                .sum();
        if (failed > 0) {
            parts.add(Numbers.grouped(failed) + " requests failed so far");
        }
        Double rate = snapshot.run().probeRate();
        if (isFired && rate != null) {
            parts.add("outage so far ≈ " + Numbers.grouped(Math.round(lostProbes(snapshot) / rate * Units.MS_PER_S))
                    + " ms by lost probes, provisional");
        }
        parts.removeIf(String::isEmpty);
        List<String> lines = parts.isEmpty() ? List.of() : List.of(String.join("     ", parts));
        Tone tone = isSplit ? Tone.BAD : isFired ? Tone.WARN : Tone.GOOD;
        return new Headline(tone, isFired ? Phases.present(snapshot.moments()).label() : "running", lines);
    }

    private static String where(RunSnapshot snapshot) {
        List<String> holding = snapshot.holding();
        if (holding.isEmpty()) {
            boolean isObserved = snapshot.nodes().stream().anyMatch(Holder::observed);
            return isObserved ? "no node is known to hold the address" : "";
        }
        return String.join(" and ", holding) + (holding.size() > 1 ? " hold" : " holds") + " the address";
    }

    /** Probes that failed or came late between the fault and the heal. */
    private static long lostProbes(RunSnapshot snapshot) {
        PlanTimes moments = snapshot.moments();
        long fromS = requireNonNull(moments.firedFromUs()) / Units.US_PER_S;
        long toS = moments.healFromUs() == null ? Long.MAX_VALUE : moments.healFromUs() / Units.US_PER_S;
        LongStream lost = snapshot.traffic().seconds().stream()
                .filter(second -> second.atS() >= fromS && second.atS() < toS)
                .map(SecondCounts::probes)
                .mapToLong((Ended probes) -> probes.failed() + probes.late());
        return lost.sum();
    }
}
