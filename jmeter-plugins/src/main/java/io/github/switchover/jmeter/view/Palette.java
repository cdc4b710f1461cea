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
        Color ground,
        Color text,
        Color quiet,
        Color line,
        Color track,
        Color ok,
        Color late,
        Color failed,
        Color fault,
        Color election,
        Color good,
        Color heal,
        Color goodGround,
        Color badGround,
        Color warnGround,
        List<Color> balancers,
        List<Color> backends) {

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
                ground,
                text,
                mix(text, ground, 0.38),
                mix(text, ground, 0.84),
                mix(text, ground, 0.93),
                rgb(0x4caf6d),
                rgb(0xf59e0b),
                rgb(0xd32f2f),
                rgb(0xc62828),
                rgb(0x8e24aa),
                rgb(0x15803d),
                rgb(0x0277bd),
                rgb(0xe6f4ea),
                rgb(0xfdecea),
                rgb(0xfff4e5),
                colours(0x0277bd, 0x9c27b0, 0x00897b, 0x6d4c41),
                colours(0x4caf6d, 0x2f8f86, 0x8bc34a, 0x5c7cba, 0x93a4b8, 0x1f7a4d, 0xb5c77d, 0x7e6bb0));
    }

    private static Palette dark(Color ground, Color text) {
        return new Palette(
                ground,
                text,
                mix(text, ground, 0.3),
                mix(text, ground, 0.8),
                mix(text, ground, 0.92),
                rgb(0x2e9e57),
                rgb(0xffa726),
                rgb(0xf44336),
                rgb(0xff6b60),
                rgb(0xce93d8),
                rgb(0x4ade80),
                rgb(0x4fc3f7),
                rgb(0x1d3a28),
                rgb(0x4a2421),
                rgb(0x46361a),
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

    private static Color rgb(int rgb) {
        return new Color(rgb);
    }

    private static List<Color> colours(int... rgb) {
        return Arrays.stream(rgb).mapToObj(Color::new).toList();
    }
}
