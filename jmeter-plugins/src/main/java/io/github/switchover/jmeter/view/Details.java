package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.Population;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.RequestFigures.ReconciliationLine;
import io.github.switchover.jmeter.run.ServiceFigures.AnatomyStep;
import io.github.switchover.jmeter.run.Verdict;
import io.github.switchover.jmeter.view.Sheet.Column;
import io.github.switchover.jmeter.view.Tables.SheetTable;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.ShownFigures;
import io.github.switchover.jmeter.view.live.ViewText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the sheets show of figures, failures, steps, counts of others, and events. */
final class Details {

    /** Rows of a sheet: a verdict may come from anywhere. */
    private static final int LISTED = 200;

    private Details() {}

    static SheetTable figures(RunSnapshot snapshot) {
        List<Column> columns = List.of(new Column("", 17, false), new Column("", 34, true));
        List<List<Cell>> rows = new ArrayList<>();
        if (snapshot.verdict() == null) {
            rows.add(List.of(Cell.quiet("so far, provisional"), Cell.text("")));
        }
        for (ShownFigures.FigureLine line : ShownFigures.of(snapshot)) {
            rows.add(List.of(Cell.text(line.name()), line.alarm() ? bad(line.value()) : Cell.number(line.value())));
        }
        return new SheetTable(columns, rows);
    }

    /** By kind of error; by phase once that is known. */
    static SheetTable failures(RunSnapshot snapshot) {
        Verdict verdict = snapshot.verdict();
        List<Column> columns = new ArrayList<>(List.of(new Column("failed", 13, false)));
        List<List<Cell>> rows = new ArrayList<>();
        if (verdict == null) {
            columns.add(new Column("so far", 9, true));
            addSoFar(
                    rows,
                    "requests",
                    snapshot.noted().samplesByKind() == null
                            ? Map.of()
                            : snapshot.noted().samplesByKind());
            addSoFar(rows, "probes", snapshot.noted().probesByKind());
        } else {
            List<String> phases = snapshot.traffic().phases().stream()
                    .map(phase -> phase.phase())
                    .toList();
            columns.add(new Column("all", 7, true));
            phases.forEach(phase -> columns.add(new Column(phase, 9, true)));
            addJudged(rows, "requests", verdict.samples(), phases);
            addJudged(rows, "probes", verdict.probes(), phases);
        }
        if (rows.isEmpty()) {
            rows.add(List.of(Cell.quiet("nothing")));
        }
        return new SheetTable(columns, rows);
    }

    private static void addSoFar(List<List<Cell>> rows, String what, Map<String, Long> byKind) {
        if (!byKind.isEmpty()) {
            rows.add(List.of(Cell.quiet(what)));
        }
        new TreeSet<>(byKind.keySet())
                .forEach(kind -> rows.add(
                        List.of(Cell.text(kind), Cell.alarm(byKind.get(kind), ViewText.count(byKind.get(kind))))));
    }

    private static void addJudged(List<List<Cell>> rows, String what, Population population, List<String> phases) {
        if (population == null || population.whole().byKind().isEmpty()) {
            return;
        }
        rows.add(List.of(Cell.quiet(what)));
        for (String kind : new TreeSet<>(population.whole().byKind().keySet())) {
            List<Cell> row = new ArrayList<>(List.of(
                    Cell.text(kind),
                    Cell.number(ViewText.count(population.whole().byKind().get(kind)))));
            for (String phase : phases) {
                RequestCounts counted = population.byPhase().get(phase);
                long count = counted == null ? 0 : counted.byKind().getOrDefault(kind, 0L);
                row.add(Cell.alarm(count, ViewText.count(count)));
            }
            rows.add(row);
        }
    }

    /** Where the time went. */
    static SheetTable steps(RunSnapshot snapshot) {
        List<Column> columns = List.of(
                new Column("step", 22, false),
                new Column("after kill", 10, true),
                new Column("bound", 11, true),
                new Column("witness", 28, false));
        List<List<Cell>> rows = new ArrayList<>();
        List<AnatomyStep> steps =
                snapshot.verdict() == null || snapshot.verdict().service().anatomy() == null
                        ? List.of()
                        : snapshot.verdict().service().anatomy();
        for (AnatomyStep step : steps) {
            String at = step.afterKillMs() == null
                    ? ViewText.UNKNOWN
                    : ViewText.after(Math.round(step.afterKillMs() * Units.US_PER_MS), 3);
            String bound = step.boundMs() == null ? "" : "±" + ViewText.bound(step.boundMs());
            rows.add(List.of(
                    Cell.text(step.step()),
                    Cell.number(at),
                    Cell.number(bound),
                    Cell.quiet(step.witness() + (step.orderUndecided() ? "; order undecided" : ""))));
        }
        return rows.isEmpty() ? ofReport("where the time went", snapshot) : new SheetTable(columns, rows);
    }

    /** Whether all witnesses count the same. */
    static SheetTable reconciliation(RunSnapshot snapshot) {
        Verdict verdict = snapshot.verdict();
        if (verdict == null || verdict.requests().reconciliation() == null) {
            return ofReport("whether all count the same", snapshot);
        }
        List<Column> columns = List.of(
                new Column("count", 26, false),
                new Column("node", 7, false),
                new Column("clients", 9, true),
                new Column("witness", 9, true),
                new Column("difference", 9, true),
                new Column("unexplained", 10, true),
                new Column("explained by", 26, false));
        List<List<Cell>> rows = new ArrayList<>();
        for (ReconciliationLine line :
                unequalFirst(verdict.requests().reconciliation().lines())) {
            rows.add(List.of(
                    Cell.text(line.name()),
                    Cell.text(line.node()),
                    Cell.number(ViewText.count(line.client())),
                    Cell.number(ViewText.count(line.witness())),
                    Cell.number(ViewText.count(line.difference())),
                    Cell.alarm(line.unexplained(), ViewText.count(line.unexplained())),
                    Cell.quiet(because(line))));
        }
        return new SheetTable(columns, rows);
    }

    /** What does not agree comes first: it is what has to be looked at. */
    private static List<ReconciliationLine> unequalFirst(List<ReconciliationLine> lines) {
        return lines.stream()
                .sorted(Comparator.comparing((ReconciliationLine line) -> -orZero(line.unexplained()))
                        .thenComparing(line -> orZero(line.difference()) == 0))
                .limit(LISTED)
                .toList();
    }

    private static String because(ReconciliationLine line) {
        return line.explainedBy().entrySet().stream()
                .filter(entry -> entry.getValue() != 0)
                .map(entry -> ViewText.count(entry.getValue()) + " " + entry.getKey())
                .collect(Collectors.joining("; "));
    }

    private static long orZero(Long value) {
        return value == null ? 0 : value;
    }

    /** What does not make the verdict, but may explain it. */
    static String warnings(RunSnapshot snapshot) {
        if (snapshot.verdict() == null) {
            return "none";
        }
        String lines = Stream.concat(
                        snapshot.verdict().reasonTexts().stream().map(reason -> "because: " + reason),
                        snapshot.verdict().warnings().stream())
                .limit(LISTED)
                .collect(Collectors.joining("\n"));
        return lines.isEmpty() ? "none" : lines;
    }

    static SheetTable events(RunSnapshot snapshot) {
        List<Column> columns = List.of(
                new Column("time", 16, false),
                new Column("event", 13, false),
                new Column("node", 7, false),
                new Column("", 60, false));
        List<List<Cell>> rows = new ArrayList<>();
        snapshot.noted()
                .events()
                .forEach(event -> rows.add(List.of(
                        Cell.number(ViewText.clock(event.atUs())),
                        Cell.text(event.kind().replace('_', ' ')),
                        Cell.text(event.node()),
                        Cell.text(event.text()))));
        return new SheetTable(columns, rows);
    }

    private static SheetTable ofReport(String what, RunSnapshot snapshot) {
        String command = snapshot.state() == RunSnapshot.RunState.SAMPLES
                ? "it needs a run directory"
                : "switchover report " + snapshot.run().path();
        return new SheetTable(
                List.of(new Column(what, 60, false)), List.of(List.of(Cell.quiet("see")), List.of(Cell.text(command))));
    }

    private static Cell bad(String text) {
        return new Cell(text, Cell.CellKind.BAD, null);
    }
}
