package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.EndedCounts;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.Stretch;
import java.awt.Color;
import java.awt.Graphics2D;
import java.util.ArrayList;
import java.util.List;

/** The requests of each second: good ones stacked by who answered, above the axis; failed and late ones below it. */
record StackedSeconds(Graphics2D canvas, Palette palette, Scale scale) {

    void paint(RunSnapshot snapshot, Stacking stacking, List<Stretch> stretches) {
        List<String> names = stacking.names(snapshot);
        List<Color> colours = new ArrayList<>();
        for (int index = 0; index < names.size(); index++) {
            colours.add(stacking.colour(palette, snapshot, index));
        }
        colours.add(palette.surface().quiet());
        int[] places = snapshot.traffic().sources().stream()
                .mapToInt(who -> names.indexOf(stacking.name(who)))
                .map(place -> place < 0 ? names.size() : place)
                .toArray();
        for (Stretch stretch : stretches) {
            above(stretch, places, colours);
            below(stretch);
        }
    }

    private void above(Stretch stretch, int[] places, List<Color> colours) {
        long[] good = new long[colours.size()];
        stretch.bySeries().forEach((series, ended) -> good[places[series]] += ended.ok());
        double stacked = 0;
        for (int index = 0; index < good.length; index++) {
            if (good[index] > 0) {
                double next = stacked + (double) good[index] / stretch.widthS();
                fill(stretch, stacked, next, colours.get(index));
                stacked = next;
            }
        }
    }

    private void below(Stretch stretch) {
        EndedCounts ended = stretch.requests();
        double failed = (double) ended.failed() / stretch.widthS();
        double late = (double) ended.late() / stretch.widthS();
        fill(stretch, -failed - late, -failed, palette.outcomes().late());
        fill(stretch, -failed, 0, palette.outcomes().failed());
    }

    /** What there is, however little, takes a pixel, and below the axis, where it matters, two. */
    private void fill(Stretch stretch, double low, double high, Color colour) {
        if (high <= low) {
            return;
        }
        int x = scale.x(stretch.atS());
        int top = scale.y(high);
        int size = Math.max(high <= 0 ? 2 : 1, scale.y(low) - top);
        canvas.setColor(colour);
        canvas.fillRect(x, top, Math.max(1, scale.x(stretch.endS()) - x), size);
    }
}
