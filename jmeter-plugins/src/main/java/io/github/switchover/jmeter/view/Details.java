package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.Sheet.Column;
import io.github.switchover.jmeter.view.Tables.SheetTable;
import io.github.switchover.jmeter.view.live.Judgement;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.ShownFigures;
import io.github.switchover.jmeter.view.live.ViewText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** What the sheets show of figures, failures, steps, counts of others, and events. */
final class Details {

    private Details() {}

    static SheetTable figures(RunSnapshot snapshot) {
        List<Column> columns = List.of(new Column("", 17, false), new Column("", 34, true));
        List<List<Cell>> rows = new ArrayList<>();
        if (snapshot.judgement() == null) {
            rows.add(List.of(Cell.quiet("so far, provisional"), Cell.text("")));
        }
        for (ShownFigures.FigureLine line : ShownFigures.of(snapshot)) {
            rows.add(List.of(Cell.text(line.name()), line.alarm() ? bad(line.value()) : Cell.number(line.value())));
        }
        return new SheetTable(columns, rows);
    }

    /** By kind of error; by phase once that is known. */
    static SheetTable failures(RunSnapshot snapshot) {
        Judgement verdict = snapshot.judgement();
        List<Column> columns = new ArrayList<>(List.of(new Column("failed", 13, false)));
        List<List<Cell>> rows = new ArrayList<>();
        if (verdict == null) {
            columns.add(new Column("so far", 9, true));
            addSoFar(rows, "requests", snapshot.samplesByKind() == null ? Map.of() : snapshot.samplesByKind());
            addSoFar(rows, "probes", snapshot.probesByKind());
        } else {
            List<String> phases =
                    snapshot.phases().stream().map(phase -> phase.phase()).toList();
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

    private static void addJudged(
            List<List<Cell>> rows, String what, Judgement.JudgedPopulation population, List<String> phases) {
        if (population == null || population.whole().byKind().isEmpty()) {
            return;
        }
        rows.add(List.of(Cell.quiet(what)));
        for (String kind : new TreeSet<>(population.whole().byKind().keySet())) {
            List<Cell> row = new ArrayList<>(List.of(
                    Cell.text(kind),
                    Cell.number(ViewText.count(population.whole().byKind().get(kind)))));
            for (String phase : phases) {
                Judgement.JudgedCounts counted = population.byPhase().get(phase);
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
        List<Judgement.Step> steps =
                snapshot.judgement() == null ? List.of() : snapshot.judgement().anatomy();
        for (Judgement.Step step : steps) {
            String at = step.afterKillMs() == null
                    ? ViewText.UNKNOWN
                    : ViewText.after(Math.round(step.afterKillMs() * 1000), 3);
            String bound = step.boundMs() == null ? "" : "±" + ViewText.bound(step.boundMs());
            rows.add(List.of(
                    Cell.text(step.step()),
                    Cell.number(at),
                    Cell.number(bound),
                    Cell.quiet(step.witness() + (step.undecided() ? "; order undecided" : ""))));
        }
        return rows.isEmpty() ? told("where the time went", snapshot) : new SheetTable(columns, rows);
    }

    /** Whether everybody counts the same. */
    static SheetTable reconciliation(RunSnapshot snapshot) {
        Judgement verdict = snapshot.judgement();
        if (verdict == null || verdict.reconciliation() == null) {
            return told("whether everybody counts the same", snapshot);
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
        for (Judgement.Reconciliation.ReconciliationLine line :
                verdict.reconciliation().lines()) {
            rows.add(List.of(
                    Cell.text(line.name()),
                    Cell.text(line.node()),
                    Cell.number(ViewText.count(line.client())),
                    Cell.number(ViewText.count(line.witness())),
                    Cell.number(ViewText.count(line.difference())),
                    Cell.alarm(line.unexplained(), ViewText.count(line.unexplained())),
                    Cell.quiet(line.because())));
        }
        return new SheetTable(columns, rows);
    }

    /** What does not make the verdict, but may explain it. */
    static SheetTable warnings(RunSnapshot snapshot) {
        List<List<Cell>> rows = new ArrayList<>();
        if (snapshot.judgement() != null) {
            snapshot.judgement().reasons().forEach(reason -> rows.add(List.of(bad("because: " + reason))));
            snapshot.judgement().warnings().forEach(warning -> rows.add(List.of(Cell.text(warning))));
        }
        if (rows.isEmpty()) {
            rows.add(List.of(Cell.quiet("none")));
        }
        return new SheetTable(List.of(new Column("", 60, false)), rows);
    }

    static SheetTable events(RunSnapshot snapshot) {
        List<Column> columns = List.of(
                new Column("time", 13, false),
                new Column("event", 13, false),
                new Column("node", 7, false),
                new Column("", 60, false));
        List<List<Cell>> rows = new ArrayList<>();
        snapshot.events()
                .forEach(event -> rows.add(List.of(
                        Cell.number(ViewText.clock(event.atUs())),
                        Cell.text(event.kind().replace('_', ' ')),
                        Cell.text(event.node()),
                        Cell.text(event.text()))));
        return new SheetTable(columns, rows);
    }

    private static SheetTable told(String what, RunSnapshot snapshot) {
        String command = snapshot.state() == RunSnapshot.RunState.SAMPLES
                ? "it needs a run directory"
                : "switchover report " + snapshot.run().path();
        return new SheetTable(
                List.of(new Column(what, 60, false)),
                List.of(List.of(Cell.quiet("told by")), List.of(Cell.text(command))));
    }

    private static Cell bad(String text) {
        return new Cell(text, Cell.CellKind.BAD, null);
    }
}
