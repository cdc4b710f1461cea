package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.view.live.Headline.Tone;
import java.awt.Color;
import java.util.List;
import java.util.stream.Stream;
import javax.swing.UIManager;

/** The colours. Background and text come from the look and feel; all other colours suit light and dark backgrounds. */
record Palette(Color ground, Color text, Color quiet, Color track, List<Color> names) {

    static Palette now() {
        Color ground = set("Table.background", Color.WHITE);
        Color text = set("Table.foreground", Color.BLACK);
        List<Color> names = Stream.of(0x3d9a5f, 0x3f8fa0, 0x8bab4a, 0x6480c4, 0x8b98ae, 0x9c6bb0, 0xb09a4d, 0x8d6e63)
                .map(Color::new)
                .toList();
        return new Palette(ground, text, mix(text, ground, 0.34), mix(text, ground, 0.92), names);
    }

    Color name(int index) {
        return names.get(Math.floorMod(index, names.size()));
    }

    Color failed() {
        return new Color(0xe53935);
    }

    Color late() {
        return new Color(0xf59e0b);
    }

    Color good() {
        return new Color(0x2e9e4f);
    }

    Color edge(Tone tone) {
        return switch (tone) {
            case PLAIN -> quiet;
            case GOOD -> good();
            case WARN -> late();
            case BAD -> failed();
        };
    }

    private static Color set(String name, Color otherwise) {
        Color set = UIManager.getColor(name);
        return set == null ? otherwise : set;
    }

    /** Mixes two colours; {@code share} is the part of the second colour. */
    private static Color mix(Color one, Color other, double share) {
        return new Color(
                mix(one.getRed(), other.getRed(), share),
                mix(one.getGreen(), other.getGreen(), share),
                mix(one.getBlue(), other.getBlue(), share));
    }

    private static int mix(int one, int other, double share) {
        return (int) Math.round(one * (1 - share) + other * share);
    }
}
