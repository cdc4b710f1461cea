package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.run.Distribution.AnswerShare;
import io.github.switchover.jmeter.run.Distribution.PhaseAnswers;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.view.Cell.Meter;
import io.github.switchover.jmeter.view.Sheet.Column;
import io.github.switchover.jmeter.view.live.PhaseCounts;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.Share;
import io.github.switchover.jmeter.view.live.ViewText;
import java.awt.Color;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;

/** What the sheets show of who answered, and of what was counted in each phase. */
final class Tables {

    private static final int NAMES = 60;
    private static final AnswerShare NO_ANSWER = new AnswerShare(0, 0);

    private Tables() {}

    /** Columns and rows of a sheet. */
    record SheetTable(List<Column> columns, List<List<Cell>> rows) {

        static final SheetTable EMPTY = new SheetTable(List.of(), List.of());

        void showIn(Sheet sheet) {
            sheet.show(columns, rows);
        }
    }

    /** Of the whole run, and of its last seconds. */
    static SheetTable shares(RunSnapshot snapshot, Palette palette) {
        List<Column> columns = List.of(
                new Column("backend", 13, false),
                new Column("share | weight", 16, false),
                new Column("all", 7, true),
                new Column("last 10 s", 8, true),
                new Column("answers", 9, true));
        List<List<Cell>> rows = new ArrayList<>();
        addShares(rows, snapshot.traffic().backends(), index -> Stacking.BACKEND.colour(palette, snapshot, index));
        if (!snapshot.traffic().balancers().isEmpty()) {
            rows.add(List.of(Cell.quiet("balancer")));
            addShares(
                    rows, snapshot.traffic().balancers(), index -> Stacking.BALANCER.colour(palette, snapshot, index));
        }
        Map<String, Long> by = snapshot.traffic().answeredBy();
        addOther(rows, "balancer itself", by.get("balancer"));
        addOther(rows, "no answer", by.get("none"));
        addOther(rows, "unknown", by.get("unknown"));
        return new SheetTable(columns, rows);
    }

    private static void addShares(List<List<Cell>> rows, List<Share> shares, Function<Integer, Color> colour) {
        for (int index = 0; index < Math.min(NAMES, shares.size()); index++) {
            Share share = shares.get(index);
            Meter meter = new Meter(share.share(), share.recent(), share.expected(), colour.apply(index));
            rows.add(List.of(
                    Cell.text(share.name()),
                    Cell.meter(meter),
                    Cell.number(ViewText.percent(share.share(), 1)),
                    Cell.number(ViewText.percent(share.recent(), 1)),
                    Cell.number(ViewText.count(share.count()))));
        }
        if (shares.size() > NAMES) {
            rows.add(List.of(Cell.quiet("and " + (shares.size() - NAMES) + " more")));
        }
    }

    private static void addOther(List<List<Cell>> rows, String words, Long count) {
        if (count != null && count > 0) {
            rows.add(List.of(
                    Cell.quiet(words),
                    Cell.text(""),
                    Cell.text(""),
                    Cell.text(""),
                    Cell.number(ViewText.count(count))));
        }
    }

    /** Who answered in each phase; while the run is on, requests, and in the end requests and probes together. */
    static SheetTable byPhase(RunSnapshot snapshot) {
        List<PhaseCounts> phases = snapshot.traffic().phases().stream()
                .filter(phase -> !phase.answers().backends().isEmpty()
                        || !phase.answers().balancers().isEmpty())
                .toList();
        if (phases.isEmpty()) {
            return SheetTable.EMPTY;
        }
        List<Column> columns = new ArrayList<>(List.of(new Column("answers", 6, false)));
        phases.forEach(phase -> columns.add(new Column(phase.phase(), 11, true)));
        columns.add(new Column("weight", 8, true));
        Map<String, Double> expected = new HashMap<>();
        snapshot.traffic().backends().forEach(share -> expected.put(share.name(), share.expected()));
        List<List<Cell>> rows = new ArrayList<>();
        addByPhase(rows, phases, PhaseAnswers::backends, expected);
        addByPhase(rows, phases, PhaseAnswers::balancers, Map.of());
        return new SheetTable(columns, rows);
    }

    private static void addByPhase(
            List<List<Cell>> rows,
            List<PhaseCounts> phases,
            Function<PhaseAnswers, Map<String, AnswerShare>> kind,
            Map<String, Double> expected) {
        TreeSet<String> names = new TreeSet<>();
        phases.forEach(phase -> names.addAll(kind.apply(phase.answers()).keySet()));
        names.stream().limit(NAMES).forEach(name -> {
            List<Cell> counts = new ArrayList<>(List.of(Cell.text(name)));
            List<Cell> shares = new ArrayList<>(List.of(Cell.text("")));
            for (PhaseCounts phase : phases) {
                Map<String, AnswerShare> answers = kind.apply(phase.answers());
                AnswerShare share = answers.getOrDefault(name, NO_ANSWER);
                counts.add(Cell.number(answers.isEmpty() ? "" : ViewText.count(share.count())));
                shares.add(Cell.note(answers.isEmpty() ? "" : ViewText.percent(share.share(), 1)));
            }
            shares.add(Cell.note(ViewText.percent(expected.get(name), 1)));
            rows.add(counts);
            rows.add(shares);
        });
    }

    /** The columns of requests only where there are any, and so with probes. */
    static SheetTable phases(RunSnapshot snapshot) {
        List<Column> columns = new ArrayList<>(List.of(new Column("phase", 10, false)));
        boolean requested = snapshot.traffic().phases().stream().anyMatch(phase -> total(phase.requests()) > 0);
        boolean probed = snapshot.traffic().phases().stream().anyMatch(phase -> total(phase.probes()) > 0);
        addColumns(columns, requested, "requests");
        addColumns(columns, probed, "probes");
        List<List<Cell>> rows = new ArrayList<>();
        for (PhaseCounts phase : snapshot.traffic().phases()) {
            List<Cell> row = new ArrayList<>(List.of(Cell.text(phase.phase())));
            addCounts(row, requested, phase.requests());
            addCounts(row, probed, phase.probes());
            rows.add(row);
        }
        return new SheetTable(columns, rows);
    }

    private static void addColumns(List<Column> columns, boolean there, String title) {
        if (there) {
            columns.add(new Column(title, 9, true));
            columns.add(new Column("failed", 7, true));
            columns.add(new Column("late", 6, true));
        }
    }

    private static void addCounts(List<Cell> row, boolean there, RequestCounts counted) {
        if (there && counted == null) {
            row.addAll(List.of(Cell.text(""), Cell.text(""), Cell.text("")));
        } else if (there) {
            row.add(Cell.number(ViewText.count(counted.total())));
            row.add(Cell.alarm(counted.failed(), ViewText.count(counted.failed())));
            row.add(Cell.warn(counted.late(), ViewText.count(counted.late())));
        }
    }

    private static long total(RequestCounts counted) {
        return counted == null ? 0 : counted.total();
    }
}
