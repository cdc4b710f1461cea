package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.view.live.AddressHolder;
import io.github.switchover.jmeter.view.live.EndedCounts;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import io.github.switchover.jmeter.view.live.Stretch;
import io.github.switchover.jmeter.view.live.ViewText;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.util.List;

/** One painting of the timeline. Lengths in pixels, times in seconds. */
final class TimelinePainting {

    static final int LEFT = 58;
    static final int RIGHT = 14;
    private static final int BAND = 14;
    private static final int BAR = 12;
    private static final int GAP = 5;
    private static final int NODES = 4;
    private static final int LABEL_WIDTH = 80;

    private final Graphics2D canvas;
    private final Palette palette;
    private final int width;
    private final int height;
    private final FontMetrics font;

    TimelinePainting(Graphics2D canvas, Palette palette, int width, int height) {
        this.canvas = canvas;
        this.palette = palette;
        this.width = width;
        this.height = height;
        canvas.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        canvas.setFont(
                canvas.getFont().deriveFont(Math.min(11f, canvas.getFont().getSize2D())));
        font = canvas.getFontMetrics();
    }

    /** {@code pointer}: where it is; negative: outside. */
    void paint(RunSnapshot snapshot, Stacking stacking, TimelineWindow window, int pointer) {
        canvas.setColor(palette.surface().ground());
        canvas.fillRect(0, 0, width, height);
        if (snapshot == null || width < 2 * LEFT) {
            return;
        }
        double fromS = window.beginS(snapshot);
        double toS = TimelineWindow.endS(snapshot);
        List<Stretch> stretches = snapshot.traffic().stretches().stream()
                .filter(stretch -> stretch.endS() > fromS && stretch.endS() <= toS)
                .toList();
        Scale time = new Scale(new Scale.Times(fromS, toS, LEFT, width - RIGHT), Scale.Rates.NONE);
        List<MarkPlace> marks = MarkPlace.of(
                snapshot.noted().marks().stream()
                        .filter(mark -> Units.secondsOfUs(mark.atUs()) >= fromS)
                        .toList(),
                mark -> time.x(Units.secondsOfUs(mark.atUs())),
                font,
                width);
        boolean probed = stretches.stream().anyMatch(stretch -> stretch.probes().total() > 0);
        List<AddressHolder> nodes =
                snapshot.address().nodes().stream().limit(NODES).toList();
        int lanes = 1 + marks.stream().mapToInt(MarkPlace::lane).max().orElse(0);
        int floor = height - font.getHeight() - 2;
        int bandsTop = floor - nodes.size() * BAND;
        int probesTop = bandsTop - (probed ? BAND + 2 : 0);
        Scale scale = scale(time, stretches, 2 + lanes * font.getHeight(), probesTop - GAP);
        grid(scale);
        new StackedSeconds(canvas, palette, scale).paint(snapshot, stacking, stretches);
        canvas.setColor(palette.surface().quiet());
        canvas.drawLine(LEFT, scale.axis(), width - RIGHT, scale.axis());
        if (stretches.stream().allMatch(stretch -> stretch.requests().total() == 0)) {
            String words = "no request has ended yet";
            canvas.drawString(words, (width - font.stringWidth(words)) / 2, (scale.top() + scale.bottom() + BAND) / 2);
        }
        if (probed) {
            probes(scale, stretches, probesTop);
        }
        for (int index = 0; index < nodes.size(); index++) {
            band(snapshot, scale, nodes.get(index), bandsTop + index * BAND);
        }
        splits(snapshot, scale, bandsTop, nodes.size() * BAND);
        times(snapshot, scale);
        marks.forEach(mark -> mark(mark, floor));
        if (pointer >= LEFT && pointer <= width - RIGHT) {
            new PointedSecond(canvas, palette, width).paint(snapshot, stacking, stretches, scale, pointer, floor);
        }
    }

    private static Scale scale(Scale time, List<Stretch> stretches, int top, int bottom) {
        double up = 1;
        double down = 0;
        for (Stretch stretch : stretches) {
            EndedCounts ended = stretch.requests();
            up = Math.max(up, (double) ended.ok() / stretch.widthS());
            down = Math.max(down, (double) (ended.failed() + ended.late()) / stretch.widthS());
        }
        double most = Scale.ceiling(up);
        // A single failure in a thousand must have a pixel to stand in.
        double least = down == 0 ? 0 : Math.max(Scale.ceiling(down), most / 8);
        return new Scale(time.times(), new Scale.Rates(most, least, top, Math.max(top + 20, bottom)));
    }

    /** Lines at nothing, half and all of the highest rate, and at the most that failed. */
    private void grid(Scale scale) {
        for (double rate : new double[] {scale.up(), scale.up() / 2, 0, -scale.down()}) {
            int y = scale.y(rate);
            canvas.setColor(palette.surface().line());
            canvas.drawLine(LEFT, y, width - RIGHT, y);
            canvas.setColor(palette.surface().quiet());
            boolean apart = rate >= 0 || y - scale.axis() > font.getAscent();
            if (apart) {
                leftLabel(ViewText.rate(Math.abs(rate)), y + font.getAscent() / 2 - 1);
            }
        }
    }

    /** Probes that failed or came late, as a share of those of their second. */
    private void probes(Scale scale, List<Stretch> stretches, int top) {
        track("probes", top);
        for (Stretch stretch : stretches) {
            EndedCounts probes = stretch.probes();
            if (probes.failed() + probes.late() > 0) {
                share(
                        scale,
                        stretch,
                        top,
                        probes.failed() + probes.late(),
                        palette.outcomes().late());
                share(scale, stretch, top, probes.failed(), palette.outcomes().failed());
            }
        }
    }

    private void share(Scale scale, Stretch stretch, int top, long part, Color colour) {
        if (part > 0) {
            int size = (int)
                    Math.max(2, Math.round((double) part / stretch.probes().total() * BAR));
            int x = scale.x(stretch.atS());
            canvas.setColor(colour);
            canvas.fillRect(x, top + BAR - size, Math.max(1, scale.x(stretch.endS()) - x), size);
        }
    }

    /** When a node held the virtual address. */
    private void band(RunSnapshot snapshot, Scale scale, AddressHolder node, int top) {
        track(node.observed() ? node.node() : node.node() + " ?", top);
        canvas.setColor(Stacking.balancer(palette, snapshot, node.node()));
        node.holds().forEach(span -> fill(scale, span.fromUs(), span.toUs(), top, BAR));
    }

    /** Stretches in which two nodes held the address at once, hatched over all bands. */
    private void splits(RunSnapshot snapshot, Scale scale, int top, int size) {
        canvas.setPaint(Hatching.of(palette.outcomes().failed()));
        snapshot.address().splits().forEach(span -> fill(scale, span.fromUs(), span.toUs(), top, size - (BAND - BAR)));
    }

    private void fill(Scale scale, long fromUs, long toUs, int top, int size) {
        if (Units.secondsOfUs(toUs) > scale.fromS() && Units.secondsOfUs(fromUs) < scale.toS()) {
            int x = scale.x(Units.secondsOfUs(fromUs));
            canvas.fillRect(x, top, Math.max(2, scale.x(Units.secondsOfUs(toUs)) - x), size);
        }
    }

    private void track(String words, int top) {
        canvas.setColor(palette.surface().track());
        canvas.fillRect(LEFT, top, width - RIGHT - LEFT, BAR);
        canvas.setColor(palette.surface().quiet());
        leftLabel(words, top + BAR - 2);
    }

    /** Minutes and seconds into the run. */
    private void times(RunSnapshot snapshot, Scale scale) {
        double startS = snapshot.time().startS();
        long step = scale.step(Math.max(2, (width - LEFT) / LABEL_WIDTH));
        canvas.setColor(palette.surface().quiet());
        for (double at = Math.ceil((scale.fromS() - startS) / step) * step; startS + at <= scale.toS(); at += step) {
            String words = ViewText.into(at);
            canvas.drawString(words, scale.x(startS + at) - font.stringWidth(words) / 2, height - font.getDescent());
        }
    }

    /** The line of a mark down to the bottom, and its words. */
    private void mark(MarkPlace place, int bottom) {
        int top = 2 + place.lane() * font.getHeight();
        canvas.setColor(colour(place));
        canvas.setStroke(
                place.mark().provisional()
                        ? new BasicStroke(1.5f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 1, new float[] {4, 3}, 0)
                        : new BasicStroke(1.5f));
        canvas.drawLine(place.x(), top, place.x(), bottom);
        int x = place.leftwards() ? place.x() - 4 - font.stringWidth(place.words()) : place.x() + 4;
        canvas.drawString(place.words(), x, top + font.getAscent());
        canvas.setStroke(new BasicStroke(1));
    }

    private Color colour(MarkPlace place) {
        return switch (place.mark().kind()) {
            case FAULT -> palette.events().fault();
            case ELECTION, BACK -> palette.events().election();
            case GOOD -> palette.events().good();
            case HEAL -> palette.events().heal();
        };
    }

    private void leftLabel(String words, int y) {
        String shown = ClippedText.of(words, font, LEFT - 8);
        canvas.drawString(shown, LEFT - 6 - font.stringWidth(shown), y);
    }
}
