package io.github.switchover.jmeter.view;

import java.awt.FontMetrics;

/** Text that fits its place. */
final class ClippedText {

    private ClippedText() {}

    /** With an ellipsis where something had to go. */
    static String of(String words, FontMetrics font, int width) {
        if (font.stringWidth(words) <= width) {
            return words;
        }
        int end = words.length();
        while (end > 0 && font.stringWidth(words.substring(0, end) + "…") > width) {
            end = words.offsetByCodePoints(end, -1);
        }
        return words.substring(0, end) + "…";
    }
}
