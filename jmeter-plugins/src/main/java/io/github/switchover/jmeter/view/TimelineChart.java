package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.view.live.LiveTraffic.AnswerSource;
import io.github.switchover.jmeter.view.live.LiveTraffic.Ended;
import io.github.switchover.jmeter.view.live.LiveTraffic.SecondCounts;
import io.github.switchover.jmeter.view.live.LiveTraffic.Share;
import io.github.switchover.jmeter.view.live.RunSnapshot;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.FontMetrics;
import java.awt.Graphics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.swing.JComponent;
import org.jspecify.annotations.Nullable;

/** A chart of the responses in each second, with the times of the fault and the heal. */
final class TimelineChart extends JComponent {

    private transient Optional<RunSnapshot> snapshot = Optional.empty();

    TimelineChart() {
        setMinimumSize(new Dimension(300, 120));
        setPreferredSize(new Dimension(700, 210));
        setOpaque(true);
    }

    void show(Optional<RunSnapshot> shown) {
        snapshot = shown;
        repaint();
    }

    @Override
    protected void paintComponent(Graphics graphics) {
        Graphics2D canvas = (Graphics2D) graphics.create();
        Palette palette = Palette.now();
        canvas.setColor(palette.ground());
        canvas.fillRect(0, 0, getWidth(), getHeight());
        if (snapshot.isPresent() && getWidth() > 2 * TimelinePainting.LEFT) {
            canvas.setFont(getFont());
            new TimelinePainting(canvas, palette, snapshot.get()).paint();
        }
        canvas.dispose();
    }

    /**
     * Paints the timeline once: good requests above the axis, by backend; failed and late requests below.
     *
     * <p>Lengths are in pixels, times in seconds.
     */
    private final class TimelinePainting {

        static final int LEFT = 58;
        private static final int RIGHT = 14;
        private static final int GAP = 5;
        private static final int LABELS = 8;

        /** The shortest period on the axis, so that a new run starts narrow and fills the width. */
        private static final long SHORTEST_S = 30;

        private static final double[] ROUND = {1, 1.5, 2, 3, 4, 5, 6, 8, 10, 15};

        private final Graphics2D canvas;
        private final Palette palette;
        private final RunSnapshot snapshot;
        private final int width = getWidth();
        private final FontMetrics font;
        private final List<SecondCounts> seconds;
        private final double fromS;
        private final double toS;
        private final int lineHeight;

        /** The position of the axis; {@code scale} is the number of pixels for one request per second. */
        private int axis;

        private double scale;

        TimelinePainting(Graphics2D canvas, Palette palette, RunSnapshot snapshot) {
            this.canvas = canvas;
            this.palette = palette;
            this.snapshot = snapshot;

            canvas.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
            font = canvas.getFontMetrics();
            lineHeight = font.getHeight();
            seconds = snapshot.traffic().seconds();
            fromS = (double) snapshot.beginS();
            long lastS = seconds.isEmpty() ? 0 : seconds.get(seconds.size() - 1).atS() + 1;
            // The present second is not complete yet.
            long nowS = snapshot.nowUs() / Units.US_PER_S;
            long endS = snapshot.isRunning() ? nowS : Math.max(nowS + 1, lastS);
            toS = Math.max((double) endS, fromS + SHORTEST_S);
        }

        void paint() {
            int floor = getHeight() - lineHeight - 2;
            requests(2 + lineHeight, floor - GAP);
            times();
            marks(floor);
        }

        private void requests(int top, int bottom) {
            double up = 1;
            double down = 0;
            for (SecondCounts second : seconds) {
                Ended ended = second.requests();
                up = Math.max(up, (double) ended.good());
                down = Math.max(down, (double) (ended.failed() + ended.late()));
            }
            double most = ceiling(up);
            // One failure in a thousand requests must be at least one pixel high.
            double least = down == 0 ? 0 : Math.max(ceiling(down), most / 8);
            scale = Math.max(20, bottom - top) / (most + least);
            axis = top + (int) Math.round(most * scale);
            for (double rate : new double[] {most, most / 2, 0, -least}) {
                int y = axis - (int) Math.round(rate * scale);
                canvas.setColor(palette.track());
                canvas.drawLine(LEFT, y, width - RIGHT, y);
                if (rate >= 0 || y - axis > font.getAscent()) {
                    leftLabel(Numbers.general(Math.abs(rate)), y + font.getAscent() / 2 - 1);
                }
            }
            List<String> names =
                    snapshot.traffic().backends().stream().map(Share::name).toList();
            for (SecondCounts second : seconds) {
                Map<String, Long> good = new TreeMap<>();
                for (Map.Entry<AnswerSource, Ended> source : second.bySource().entrySet()) {
                    good.merge(source.getKey().backend(), source.getValue().good(), Long::sum);
                }
                double stacked = 0;
                for (Map.Entry<String, Long> part : good.entrySet()) {
                    int place = names.indexOf(part.getKey());
                    canvas.setColor(place < 0 ? palette.quiet() : palette.name(place));
                    rates(second, stacked, stacked + part.getValue());
                    stacked += part.getValue();
                }
                Ended ended = second.requests();
                canvas.setColor(palette.late());
                rates(second, -(double) ended.failed() - ended.late(), -(double) ended.failed());
                canvas.setColor(palette.failed());
                rates(second, -(double) ended.failed(), 0);
            }
        }

        /** Draws the counts of a second. Any count is at least one pixel high; a failure at least two pixels. */
        private void rates(SecondCounts second, double low, double high) {
            if (high > low) {
                int top = axis - (int) Math.round(high * scale);
                int size = Math.max(high <= 0 ? 2 : 1, axis - (int) Math.round(low * scale) - top);
                int left = x((double) second.atS());
                if (second.atS() + 1.0 > fromS && second.atS() < toS) {
                    canvas.fillRect(left, top, Math.max(1, x(second.atS() + 1.0) - left), size);
                }
            }
        }

        /** Draws the axis labels: minutes and seconds since the start of the run. */
        private void times() {
            long step = Math.max(5, (long) ceiling((toS - fromS) / LABELS));
            canvas.setColor(palette.quiet());
            for (long at = 0; fromS + at <= toS; at += step) {
                String words = at / 60 + ":" + (at % 60 < 10 ? "0" : "") + at % 60;
                canvas.drawString(words, x(fromS + at) - font.stringWidth(words) / 2, getHeight() - font.getDescent());
            }
        }

        private void marks(int bottom) {
            PlanTimes moments = snapshot.moments();
            mark("fault", moments.firedFromUs(), palette.failed(), bottom);
            mark("heal", moments.healFromUs(), palette.quiet(), bottom);
        }

        private void mark(String words, @Nullable Long atUs, Color colour, int bottom) {
            if (atUs != null && Units.secondsOfUs(atUs) >= fromS) {
                int x = x(Units.secondsOfUs(atUs));
                int length = font.stringWidth(words) + 4;
                canvas.setColor(colour);
                canvas.drawLine(x, 2, x, bottom);
                canvas.drawString(words, x + length > width ? x - length : x + 4, 2 + font.getAscent());
            }
        }

        private void leftLabel(String words, int y) {
            canvas.setColor(palette.quiet());
            canvas.drawString(words, LEFT - 6 - font.stringWidth(words), y);
        }

        private int x(double seconds) {
            double share = Math.min(Math.max((seconds - fromS) / (toS - fromS), 0), 1);
            return LEFT + (int) Math.round(share * (width - RIGHT - LEFT));
        }

        /** Returns the next higher round number. */
        private static double ceiling(double value) {
            double power = Math.pow(10, Math.floor(Math.log10(value)));
            for (double step : ROUND) {
                if (step * power >= value * 1.02) {
                    return step * power;
                }
            }
            throw new IllegalArgumentException("no rate: " + value);
        }
    }
}
