package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.judge.Counts;
import io.github.switchover.jmeter.judge.Distribution;
import io.github.switchover.jmeter.judge.Measured;
import io.github.switchover.jmeter.judge.Outage;
import io.github.switchover.jmeter.judge.PhaseName;
import io.github.switchover.jmeter.judge.Population;
import io.github.switchover.jmeter.judge.SplitBrain;
import io.github.switchover.jmeter.judge.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The figures of a verdict as text, line by line. */
public final class SummaryFigures {

    /** Kinds of errors, and backends, that one line names. */
    private static final int LISTED = 4;

    private SummaryFigures() {}

    public static List<Figure> of(Verdict verdict) {
        List<Figure> found = new ArrayList<>();
        Outage outage = verdict.outage();
        found.add(
                outage == null
                        ? new Figure("outage", "unknown", Measured.unprobed(verdict.run()))
                        : new Figure("outage", FigureText.outage(outage), losses(verdict, outage)));
        if (verdict.failback() != null) {
            found.add(
                    new Figure("failback", FigureText.outage(verdict.failback()), losses(verdict, verdict.failback())));
        }
        addFailed(found, "failed probes", verdict.probes());
        addFailed(found, "failed samples", verdict.samples());
        found.add(splitBrain(verdict.splitBrain()));
        found.add(answeredBy(verdict.distribution()));
        found.add(generator(verdict));
        return found;
    }

    /** The loss-derived figure with what makes it differ; and how many gaps there were, if not one. */
    private static String losses(Verdict verdict, Outage outage) {
        if (outage.gaps().isEmpty() || outage.lossDerivedMs() == null) {
            return "";
        }
        String within = verdict.run().settings().get("timeout_read_ms") instanceof Number timeout
                ? ", time-out " + Numbers.general(timeout.doubleValue() / 1000) + " s"
                : "";
        String gaps = outage.gaps().size() > 1 ? Numbers.grouped(outage.gaps().size()) + " gaps; " : "";
        String later = outage.strays().isEmpty()
                ? ""
                : "; " + Numbers.grouped(outage.strays().size()) + " later";
        return gaps + "by losses " + Numbers.grouped(outage.lossDerivedMs(), 0) + " ms" + within + later;
    }

    /** Failures in the switchover, or in all where there was none. */
    private static void addFailed(List<Figure> found, String name, Population population) {
        if (population == null) {
            return;
        }
        Counts counts = population.byPhase().getOrDefault(PhaseName.SWITCHOVER, population.whole());
        String late = counts.late() > 0 ? ", " + Numbers.grouped(counts.late()) + " late" : "";
        String kinds = counts.byKind().entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
                .limit(LISTED)
                .map(kind -> kind.getKey() + " " + Numbers.grouped(kind.getValue()))
                .collect(Collectors.joining(", "));
        found.add(new Figure(name, FigureText.share(counts.failed(), counts.total()) + late, kinds));
    }

    private static Figure splitBrain(SplitBrain found) {
        if (found == null) {
            return new Figure("split brain", "unknown", Measured.NO_WITNESS);
        }
        String value = found.overlaps().isEmpty() ? "none" : FigureText.milliseconds(found.totalUs());
        long longestUs = found.longestHandoverUs();
        return new Figure(
                "split brain",
                value,
                longestUs > 0
                        ? "handovers up to " + Numbers.fixed(longestUs / 1000.0, 1) + " ms"
                        : "owners witnessed on all");
    }

    private static Figure answeredBy(Distribution distribution) {
        String before = balancers(distribution, PhaseName.BASELINE);
        String after = balancers(distribution, PhaseName.DEGRADED);
        String who = after.isEmpty() ? before : before + " before, " + after + " after";
        Distribution.Answers baseline = distribution.byPhase().get(PhaseName.BASELINE);
        return new Figure(
                "answered by",
                who.isEmpty() ? "nobody said" : who,
                baseline == null ? "" : shares(baseline.backends()));
    }

    private static String balancers(Distribution distribution, PhaseName phase) {
        Distribution.Answers answers = distribution.byPhase().get(phase);
        return answers == null ? "" : String.join(" and ", answers.balancers().keySet());
    }

    private static String shares(Map<String, Long> counts) {
        long total = counts.values().stream().mapToLong(Long::longValue).sum();
        return counts.entrySet().stream()
                .limit(LISTED)
                .map(entry -> entry.getKey() + " " + Numbers.percent((double) entry.getValue() / total, 0))
                .collect(Collectors.joining(", "));
    }

    private static Figure generator(Verdict verdict) {
        Map<String, Object> account = verdict.run().generator();
        if (!(account.get("scheduled") instanceof Long scheduled) || !(account.get("unsent") instanceof Long unsent)) {
            return new Figure("generator", "unknown", verdict.probes() == null ? Measured.NO_METRONOME : "");
        }
        List<String> told = new ArrayList<>();
        if (account.get("lag_p99_ms") instanceof Number lag) {
            told.add("lag p99 " + Numbers.fixed(lag.doubleValue(), 1) + " ms");
        }
        if (account.get("cpu_percent") instanceof Number cpu) {
            told.add(Numbers.fixed(cpu.doubleValue(), 0) + " % of a core");
        }
        return new Figure(
                "generator",
                Numbers.grouped(scheduled) + " probes, " + Numbers.grouped(unsent) + " unsent",
                String.join(", ", told));
    }
}
