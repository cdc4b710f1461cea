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
        return new PaletteBuilder(ground, text)
                .quiet(0.38)
                .line(0.84)
                .track(0.93)
                .ok(0x4caf6d)
                .late(0xf59e0b)
                .failed(0xd32f2f)
                .fault(0xc62828)
                .election(0x8e24aa)
                .good(0x15803d)
                .heal(0x0277bd)
                .goodGround(0xe6f4ea)
                .badGround(0xfdecea)
                .warnGround(0xfff4e5)
                .balancers(0x0277bd, 0x9c27b0, 0x00897b, 0x6d4c41)
                .backends(0x4caf6d, 0x2f8f86, 0x8bc34a, 0x5c7cba, 0x93a4b8, 0x1f7a4d, 0xb5c77d, 0x7e6bb0)
                .build();
    }

    private static Palette dark(Color ground, Color text) {
        return new PaletteBuilder(ground, text)
                .quiet(0.3)
                .line(0.8)
                .track(0.92)
                .ok(0x2e9e57)
                .late(0xffa726)
                .failed(0xf44336)
                .fault(0xff6b60)
                .election(0xce93d8)
                .good(0x4ade80)
                .heal(0x4fc3f7)
                .goodGround(0x1d3a28)
                .badGround(0x4a2421)
                .warnGround(0x46361a)
                .balancers(0x4fc3f7, 0xce93d8, 0x4db6ac, 0xbc9a8c)
                .backends(0x2e9e57, 0x3fa7a0, 0x8fbf4d, 0x6f93d6, 0x8fa3b5, 0x1f7d5c, 0xb9c97f, 0x9d8ad0)
                .build();
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

    /** A palette as it is put together: what is quiet by how much of the ground is mixed into the text, the rest as RGB. */
    static final class PaletteBuilder {

        private final Color ground;
        private final Color text;
        private Color quiet;
        private Color line;
        private Color track;
        private Color ok;
        private Color late;
        private Color failed;
        private Color fault;
        private Color election;
        private Color good;
        private Color heal;
        private Color goodGround;
        private Color badGround;
        private Color warnGround;
        private List<Color> balancers;
        private List<Color> backends;

        private PaletteBuilder(Color ground, Color text) {
            this.ground = ground;
            this.text = text;
        }

        Palette build() {
            return new Palette(
                    ground,
                    text,
                    quiet,
                    line,
                    track,
                    ok,
                    late,
                    failed,
                    fault,
                    election,
                    good,
                    heal,
                    goodGround,
                    badGround,
                    warnGround,
                    balancers,
                    backends);
        }

        PaletteBuilder quiet(double share) {
            quiet = mix(text, ground, share);
            return this;
        }

        PaletteBuilder line(double share) {
            line = mix(text, ground, share);
            return this;
        }

        PaletteBuilder track(double share) {
            track = mix(text, ground, share);
            return this;
        }

        PaletteBuilder ok(int value) {
            ok = new Color(value);
            return this;
        }

        PaletteBuilder late(int value) {
            late = new Color(value);
            return this;
        }

        PaletteBuilder failed(int value) {
            failed = new Color(value);
            return this;
        }

        PaletteBuilder fault(int value) {
            fault = new Color(value);
            return this;
        }

        PaletteBuilder election(int value) {
            election = new Color(value);
            return this;
        }

        PaletteBuilder good(int value) {
            good = new Color(value);
            return this;
        }

        PaletteBuilder heal(int value) {
            heal = new Color(value);
            return this;
        }

        PaletteBuilder goodGround(int value) {
            goodGround = new Color(value);
            return this;
        }

        PaletteBuilder badGround(int value) {
            badGround = new Color(value);
            return this;
        }

        PaletteBuilder warnGround(int value) {
            warnGround = new Color(value);
            return this;
        }

        PaletteBuilder balancers(int... value) {
            balancers = colours(value);
            return this;
        }

        PaletteBuilder backends(int... value) {
            backends = colours(value);
            return this;
        }
    }
}
