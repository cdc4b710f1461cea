package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.Sheet.Column;
import io.github.switchover.jmeter.view.Tables.Table;
import io.github.switchover.jmeter.view.live.Figures;
import io.github.switchover.jmeter.view.live.Judgement;
import io.github.switchover.jmeter.view.live.Picture;
import io.github.switchover.jmeter.view.live.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** What the sheets show of figures, failures, steps, counts of others, and events. */
final class Details {

    private Details() {}

    static Table figures(Picture picture) {
        List<Column> columns = List.of(new Column("", 17, false), new Column("", 34, true));
        List<List<Cell>> rows = new ArrayList<>();
        if (picture.judgement() == null) {
            rows.add(List.of(Cell.quiet("so far, provisional"), Cell.text("")));
        }
        for (Figures.Line line : Figures.of(picture)) {
            rows.add(List.of(Cell.text(line.name()), line.alarm() ? bad(line.value()) : Cell.number(line.value())));
        }
        return new Table(columns, rows);
    }

    /** By kind of error; by phase once that is known. */
    static Table failures(Picture picture) {
        Judgement verdict = picture.judgement();
        List<Column> columns = new ArrayList<>(List.of(new Column("failed", 13, false)));
        List<List<Cell>> rows = new ArrayList<>();
        if (verdict == null) {
            columns.add(new Column("so far", 9, true));
            addSoFar(rows, "requests", picture.samplesByKind() == null ? Map.of() : picture.samplesByKind());
            addSoFar(rows, "probes", picture.probesByKind());
        } else {
            List<String> phases =
                    picture.phases().stream().map(phase -> phase.phase()).toList();
            columns.add(new Column("all", 7, true));
            phases.forEach(phase -> columns.add(new Column(phase, 9, true)));
            addJudged(rows, "requests", verdict.samples(), phases);
            addJudged(rows, "probes", verdict.probes(), phases);
        }
        if (rows.isEmpty()) {
            rows.add(List.of(Cell.quiet("nothing")));
        }
        return new Table(columns, rows);
    }

    private static void addSoFar(List<List<Cell>> rows, String what, Map<String, Long> byKind) {
        if (!byKind.isEmpty()) {
            rows.add(List.of(Cell.quiet(what)));
        }
        new TreeSet<>(byKind.keySet())
                .forEach(kind ->
                        rows.add(List.of(Cell.text(kind), Cell.alarm(byKind.get(kind), Text.count(byKind.get(kind))))));
    }

    private static void addJudged(
            List<List<Cell>> rows, String what, Judgement.Population population, List<String> phases) {
        if (population == null || population.whole().byKind().isEmpty()) {
            return;
        }
        rows.add(List.of(Cell.quiet(what)));
        for (String kind : new TreeSet<>(population.whole().byKind().keySet())) {
            List<Cell> row = new ArrayList<>(List.of(
                    Cell.text(kind),
                    Cell.number(Text.count(population.whole().byKind().get(kind)))));
            for (String phase : phases) {
                Judgement.Counted counted = population.byPhase().get(phase);
                long count = counted == null ? 0 : counted.byKind().getOrDefault(kind, 0L);
                row.add(Cell.alarm(count, Text.count(count)));
            }
            rows.add(row);
        }
    }

    /** Where the time went. */
    static Table steps(Picture picture) {
        List<Column> columns = List.of(
                new Column("step", 22, false),
                new Column("after kill", 10, true),
                new Column("bound", 11, true),
                new Column("witness", 28, false));
        List<List<Cell>> rows = new ArrayList<>();
        List<Judgement.Step> steps =
                picture.judgement() == null ? List.of() : picture.judgement().anatomy();
        for (Judgement.Step step : steps) {
            String at =
                    step.afterKillMs() == null ? Text.UNKNOWN : Text.after(Math.round(step.afterKillMs() * 1000), 3);
            String bound = step.boundMs() == null ? "" : "±" + Text.bound(step.boundMs());
            rows.add(List.of(
                    Cell.text(step.step()),
                    Cell.number(at),
                    Cell.number(bound),
                    Cell.quiet(step.witness() + (step.undecided() ? "; order undecided" : ""))));
        }
        return rows.isEmpty() ? told("where the time went", picture) : new Table(columns, rows);
    }

    /** Whether everybody counts the same. */
    static Table reconciliation(Picture picture) {
        Judgement verdict = picture.judgement();
        if (verdict == null || verdict.reconciliation() == null) {
            return told("whether everybody counts the same", picture);
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
        for (Judgement.Reconciliation.Line line : verdict.reconciliation().lines()) {
            rows.add(List.of(
                    Cell.text(line.name()),
                    Cell.text(line.node()),
                    Cell.number(Text.count(line.client())),
                    Cell.number(Text.count(line.witness())),
                    Cell.number(Text.count(line.difference())),
                    Cell.alarm(line.unexplained(), Text.count(line.unexplained())),
                    Cell.quiet(line.because())));
        }
        return new Table(columns, rows);
    }

    /** What does not make the verdict, but may explain it. */
    static Table warnings(Picture picture) {
        List<List<Cell>> rows = new ArrayList<>();
        if (picture.judgement() != null) {
            picture.judgement().reasons().forEach(reason -> rows.add(List.of(bad("because: " + reason))));
            picture.judgement().warnings().forEach(warning -> rows.add(List.of(Cell.text(warning))));
        }
        if (rows.isEmpty()) {
            rows.add(List.of(Cell.quiet("none")));
        }
        return new Table(List.of(new Column("", 60, false)), rows);
    }

    static Table events(Picture picture) {
        List<Column> columns = List.of(
                new Column("time", 13, false),
                new Column("event", 13, false),
                new Column("node", 7, false),
                new Column("", 60, false));
        List<List<Cell>> rows = new ArrayList<>();
        picture.events()
                .forEach(event -> rows.add(List.of(
                        Cell.number(Text.clock(event.atUs())),
                        Cell.text(event.kind().replace('_', ' ')),
                        Cell.text(event.node()),
                        Cell.text(event.text()))));
        return new Table(columns, rows);
    }

    private static Table told(String what, Picture picture) {
        String command = picture.state() == Picture.State.SAMPLES
                ? "it needs a run directory"
                : "switchover report " + picture.run().path();
        return new Table(
                List.of(new Column(what, 60, false)),
                List.of(List.of(Cell.quiet("told by")), List.of(Cell.text(command))));
    }

    private static Cell bad(String text) {
        return new Cell(text, Cell.Kind.BAD, null);
    }
}
