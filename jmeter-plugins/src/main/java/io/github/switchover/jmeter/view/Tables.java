package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.Cell.Meter;
import io.github.switchover.jmeter.view.Sheet.Column;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.Share;
import io.github.switchover.jmeter.view.live.ViewText;
import java.awt.Color;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The sheet of who answered how much. */
final class Tables {

    private static final int NAMES = 60;

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
}
