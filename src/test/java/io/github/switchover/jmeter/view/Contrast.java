package io.github.switchover.jmeter.view;

import java.awt.Color;

/** How well two colours are told apart: the contrast ratio of WCAG 2.1, which asks for 4.5 of text and 3 of shapes. */
public final class Contrast {

    private Contrast() {}

    public static double of(Color one, Color other) {
        double light = Math.max(luminance(one), luminance(other));
        double dark = Math.min(luminance(one), luminance(other));
        return (light + 0.05) / (dark + 0.05);
    }

    private static double luminance(Color colour) {
        return 0.2126 * linear(colour.getRed())
                + 0.7152 * linear(colour.getGreen())
                + 0.0722 * linear(colour.getBlue());
    }

    private static double linear(int part) {
        double share = part / 255.0;
        return share <= 0.03928 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    }
}
