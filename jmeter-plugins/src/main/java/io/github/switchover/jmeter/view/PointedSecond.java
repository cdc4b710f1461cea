package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.view.live.EndedCounts;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.Stretch;
import io.github.switchover.jmeter.view.live.ViewText;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What the second under the pointer holds, as a box beside it. */
record PointedSecond(Graphics2D canvas, Palette palette, int width) {

    private static final int NAMES = 8;
    private static final int PAD = 7;
    private static final int WIDEST = 420;

    void paint(RunSnapshot snapshot, Stacking stacking, List<Stretch> stretches, Scale scale, int pointer, int floor) {
        double at = scale.seconds(pointer);
        Stretch found = stretches.stream()
                .filter(stretch -> stretch.atS() <= at && at < stretch.endS())
                .findFirst()
                .orElse(null);
        if (found == null) {
            return;
        }
        canvas.setColor(palette.surface().quiet());
        int middle = scale.x(found.atS() + found.widthS() / 2.0);
        canvas.drawLine(middle, scale.top(), middle, floor);
        FontMetrics font = canvas.getFontMetrics();
        List<String> lines = lines(snapshot, stacking, found).stream()
                .map(line -> ClippedText.of(line, font, WIDEST))
                .toList();
        int boxWidth = lines.stream().mapToInt(font::stringWidth).max().orElse(0) + 2 * PAD;
        int boxHeight = lines.size() * font.getHeight() + 2 * PAD;
        int x = pointer > width / 2 ? pointer - 14 - boxWidth : pointer + 14;
        canvas.setColor(palette.surface().ground());
        canvas.fillRect(x, scale.top(), boxWidth, boxHeight);
        canvas.setColor(palette.surface().quiet());
        canvas.drawRect(x, scale.top(), boxWidth, boxHeight);
        canvas.setColor(palette.surface().text());
        for (int index = 0; index < lines.size(); index++) {
            canvas.drawString(
                    lines.get(index), x + PAD, scale.top() + PAD + font.getAscent() + index * font.getHeight());
        }
    }

    static List<String> lines(RunSnapshot snapshot, Stacking stacking, Stretch stretch) {
        List<String> lines = new ArrayList<>();
        double startS = snapshot.time().startS();
        String wide = stretch.widthS() > 1 ? " · " + stretch.widthS() + " s" : "";
        String clock = ViewText.clock(stretch.atS() * Units.US_PER_S);
        lines.add(ViewText.into(stretch.atS() - startS) + " · " + clock.substring(0, clock.length() - 4) + wide);
        lines.add(counted("requests", stretch.requests()));
        Map<String, Long> good = new TreeMap<>();
        stretch.bySeries().forEach((series, ended) -> {
            String name = stacking.name(snapshot.traffic().sources().get(series));
            good.merge(name.isEmpty() ? Stacking.UNKNOWN : name, ended.ok(), Long::sum);
        });
        good.values().removeIf(count -> count == 0);
        good.entrySet().stream()
                .limit(NAMES)
                .forEach(entry -> lines.add("    " + entry.getKey() + ": " + ViewText.count(entry.getValue()) + " ok"));
        if (good.size() > NAMES) {
            lines.add("    and " + (good.size() - NAMES) + " more");
        }
        if (snapshot.probed()) {
            lines.add(counted("probes", stretch.probes()));
        }
        snapshot.address().nodes().stream()
                .filter(node -> node.holds().stream()
                        .anyMatch(span -> span.fromUs() < stretch.endS() * Units.US_PER_S
                                && span.toUs() > stretch.atS() * Units.US_PER_S))
                .forEach(node -> lines.add(node.node() + " holds the address"));
        return lines;
    }

    private static String counted(String what, EndedCounts ended) {
        return what + ": " + ViewText.count(ended.ok()) + " ok, " + ViewText.count(ended.failed()) + " failed, "
                + ViewText.count(ended.late()) + " late";
    }
}
