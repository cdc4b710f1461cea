package io.github.switchover.jmeter.view;

import java.awt.Color;
import java.util.Arrays;
import java.util.List;
import javax.swing.UIManager;

/**
 * Colours for the look and feel that is set now: its own for ground and text, ours for meanings, each in a tone that is
 * readable on a light, or on a dark, ground.
 */
record Palette(
        Surface surface,
        OutcomeColours outcomes,
        EventColours events,
        WordGrounds grounds,
        List<Color> balancers,
        List<Color> backends) {

    /** What the look and feel gives, and tones between its text and its ground. */
    record Surface(Color ground, Color text, Color quiet, Color line, Color track) {

        /** By how much of the ground is mixed into the text. */
        static Surface of(Color ground, Color text, double quiet, double line, double track) {
            return new Surface(
                    ground, text, mix(text, ground, quiet), mix(text, ground, line), mix(text, ground, track));
        }
    }

    /** What became of requests. */
    record OutcomeColours(Color ok, Color late, Color failed) {}

    /** What happened to the pair. */
    record EventColours(Color fault, Color election, Color good, Color heal) {}

    /** Behind the word of the verdict. */
    record WordGrounds(Color good, Color bad, Color warn) {}

    private static final int DARK = 128;

    static Palette now() {
        Color ground = set("Table.background", Color.WHITE);
        Color text = set("Table.foreground", Color.BLACK);
        return isDark(ground) ? dark(ground, text) : light(ground, text);
    }

    /** By place in the list of names, from the start again where there are many. */
    static Color nth(List<Color> colours, int index) {
        return colours.get(Math.floorMod(index, colours.size()));
    }

    private static Palette light(Color ground, Color text) {
        return new Palette(
                Surface.of(ground, text, 0.38, 0.84, 0.93),
                new OutcomeColours(new Color(0x4caf6d), new Color(0xf59e0b), new Color(0xd32f2f)),
                new EventColours(new Color(0xc62828), new Color(0x8e24aa), new Color(0x15803d), new Color(0x0277bd)),
                new WordGrounds(new Color(0xe6f4ea), new Color(0xfdecea), new Color(0xfff4e5)),
                colours(0x0277bd, 0x9c27b0, 0x00897b, 0x6d4c41),
                colours(0x4caf6d, 0x2f8f86, 0x8bc34a, 0x5c7cba, 0x93a4b8, 0x1f7a4d, 0xb5c77d, 0x7e6bb0));
    }

    private static Palette dark(Color ground, Color text) {
        return new Palette(
                Surface.of(ground, text, 0.3, 0.8, 0.92),
                new OutcomeColours(new Color(0x2e9e57), new Color(0xffa726), new Color(0xf44336)),
                new EventColours(new Color(0xff6b60), new Color(0xce93d8), new Color(0x4ade80), new Color(0x4fc3f7)),
                new WordGrounds(new Color(0x1d3a28), new Color(0x4a2421), new Color(0x46361a)),
                colours(0x4fc3f7, 0xce93d8, 0x4db6ac, 0xbc9a8c),
                colours(0x2e9e57, 0x3fa7a0, 0x8fbf4d, 0x6f93d6, 0x8fa3b5, 0x1f7d5c, 0xb9c97f, 0x9d8ad0));
    }

    static boolean isDark(Color colour) {
        return (299 * colour.getRed() + 587 * colour.getGreen() + 114 * colour.getBlue()) / 1000 < DARK;
    }

    private static Color set(String name, Color otherwise) {
        Color set = UIManager.getColor(name);
        return set == null ? otherwise : set;
    }

    /** {@code share} of the second colour. */
    private static Color mix(Color one, Color other, double share) {
        return new Color(
                mix(one.getRed(), other.getRed(), share),
                mix(one.getGreen(), other.getGreen(), share),
                mix(one.getBlue(), other.getBlue(), share));
    }

    private static int mix(int one, int other, double share) {
        return (int) Math.round(one * (1 - share) + other * share);
    }

    private static List<Color> colours(int... rgb) {
        return Arrays.stream(rgb).mapToObj(Color::new).toList();
    }
}
