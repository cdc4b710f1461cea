package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.print.Summary;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.run.Word;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The first thing to read: what is going on, or what it came to.
 *
 * @param says beside the word
 * @param lines below it: why, and what else is to be known
 */
public record Headline(Tone tone, String word, List<String> says, List<String> lines) {

    /** How it is meant. */
    public enum Tone {
        PLAIN,
        GOOD,
        WARN,
        BAD
    }

    private static final int LISTED = 2;

    private static final Headline NOTHING = new Headline(
            Tone.PLAIN,
            "no run yet",
            List.of("start the test, or open a run directory or a JTL (or drop one here)"),
            List.of());

    public static Headline of(ViewState shown) {
        if (shown.trouble() != null) {
            return new Headline(Tone.BAD, "trouble", List.of(shown.trouble()), List.of());
        }
        if (shown.reading() != null) {
            return new Headline(Tone.PLAIN, "reading", List.of(shown.reading()), List.of());
        }
        RunSnapshot snapshot = shown.snapshot();
        if (snapshot == null) {
            return NOTHING;
        }
        return switch (snapshot.state()) {
            case RUNNING -> running(snapshot);
            case ENDED -> ended(snapshot);
            case JUDGED -> judged(snapshot);
            case SAMPLES -> samples(snapshot);
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
        return new Headline(tone, word, says, List.copyOf(more));
    }

    private static Headline judged(RunSnapshot snapshot) {
        Verdict verdict = snapshot.verdict();
        List<String> says = new ArrayList<>(List.of("outage " + ShownFigures.outage(verdict)));
        String predicted = ShownFigures.predicted(snapshot);
        if (predicted != null) {
            says.add("predicted " + predicted);
        }
        List<String> lines = new ArrayList<>();
        addListed(lines, "because: ", verdict.reasonTexts());
        List<String> kept =
                new ArrayList<>(verdict.budgets().stream().map(Summary::budget).toList());
        addCount(kept, verdict.warnings());
        if (!kept.isEmpty()) {
            lines.add(String.join("     ", kept));
        }
        return new Headline(tone(verdict.word()), verdict.word().text().toLowerCase(Locale.ROOT), says, lines);
    }

    private static Headline samples(RunSnapshot snapshot) {
        RequestCounts all = snapshot.verdict().samples() == null
                ? RequestCounts.NONE
                : snapshot.verdict().samples().whole();
        List<String> says = List.of(
                ViewText.count(all.total()) + " requests, " + ViewText.count(all.failed()) + " failed, "
                        + ViewText.count(all.late()) + " late",
                "no run around it: outage, phases and trust need a run directory");
        List<String> lines = new ArrayList<>();
        addCount(lines, snapshot.verdict().warnings());
        return new Headline(Tone.PLAIN, "samples", says, lines);
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
                : phase.equals("degraded") || phase.equals("failback") ? Tone.WARN : Tone.GOOD;
        long failed = snapshot.traffic().phases().stream()
                .mapToLong(counts -> counts.requests().failed())
                .sum();
        Double lost = ShownFigures.lostSoFarMs(snapshot);
        return new Headline(
                tone,
                drill && !phase.isEmpty() ? phase : "running",
                says(
                        split ? "SPLIT BRAIN: " + where : where,
                        failed == 0 ? "" : ViewText.count(failed) + " requests failed so far",
                        lost == null
                                ? ""
                                : "outage so far ≈ " + ViewText.milliseconds(lost) + " by lost probes, provisional"),
                List.of());
    }

    private static String where(RunSnapshot snapshot) {
        List<String> holding = snapshot.address().holding();
        if (holding.isEmpty()) {
            boolean witnessed = snapshot.address().nodes().stream().anyMatch(AddressHolder::witnessed);
            return witnessed ? "no node is known to hold the address" : "";
        }
        return String.join(" and ", holding) + (holding.size() > 1 ? " hold" : " holds") + " the address";
    }

    private static Tone tone(Word word) {
        return word == Word.UNDECIDED ? Tone.WARN : word.exitCode() == Verdict.EXIT_PASSED ? Tone.GOOD : Tone.BAD;
    }

    private static List<String> says(String... parts) {
        return List.of(parts).stream().filter(part -> !part.isEmpty()).toList();
    }

    private static void addListed(List<String> lines, String word, List<String> all) {
        all.stream().limit(LISTED).forEach(line -> lines.add(word + line));
        if (all.size() > LISTED) {
            lines.add("and " + (all.size() - LISTED) + " more reasons");
        }
    }

    private static void addCount(List<String> parts, List<String> warnings) {
        if (!warnings.isEmpty()) {
            parts.add(warnings.size() == 1 ? "1 warning" : warnings.size() + " warnings");
        }
    }
}
