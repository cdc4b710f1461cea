package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.Mark;
import io.github.switchover.jmeter.view.live.ViewText;
import java.awt.FontMetrics;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * A mark of the timeline with its words in a lane of their own, so that none stand upon another.
 *
 * @param leftwards the words stand to the left of the line: to the right there is no room
 */
record MarkPlace(Mark mark, String words, int x, int lane, boolean leftwards) {

    static final int LANES = 4;
    private static final int GAP = 10;

    static List<MarkPlace> of(List<Mark> marks, ToIntFunction<Mark> place, FontMetrics font, int width) {
        List<Integer> ends = new ArrayList<>();
        List<MarkPlace> found = new ArrayList<>();
        Mark since = null;
        for (Mark mark : marks) {
            boolean event = mark.kind() == Mark.MarkKind.FAULT || mark.kind() == Mark.MarkKind.HEAL;
            if (event) {
                since = mark;
            }
            String delay = since == null || event ? "" : " " + ViewText.after(mark.atUs() - since.atUs(), 2);
            String words = mark.kind().word() + (mark.provisional() ? " ≈" : "") + delay;
            int x = place.applyAsInt(mark);
            int length = font.stringWidth(words) + GAP;
            boolean leftwards = x + length > width;
            int begin = leftwards ? x - length : x;
            int lane = 0;
            while (lane < ends.size() && ends.get(lane) > begin) {
                lane++;
            }
            lane = Math.min(lane, LANES - 1);
            if (lane < ends.size()) {
                ends.set(lane, begin + length);
            } else {
                ends.add(begin + length);
            }
            found.add(new MarkPlace(mark, words, x, lane, leftwards));
        }
        return found;
    }
}
