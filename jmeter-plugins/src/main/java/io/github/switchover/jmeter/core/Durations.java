package io.github.switchover.jmeter.core;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them in a target file and in a setting. */
public final class Durations {

    private static final Pattern DURATION = Pattern.compile("\\s*([0-9]+(?:\\.[0-9]+)?)\\s*(us|ms|s|min|h)?\\s*");

    private Durations() {}

    /** {@code 250ms}, {@code 5s}, {@code 1.5}, {@code 2min} in seconds; a bare number is seconds. */
    public static double parseSeconds(String text) {
        Matcher match = DURATION.matcher(text);
        if (!match.matches()) {
            throw new UsageException(ReadableText.quoted(text) + " is no duration: write 250ms, 5s, 1.5 or 2min");
        }
        return Double.parseDouble(match.group(1)) * secondsPer(match.group(2));
    }

    private static double secondsPer(String unit) {
        return switch (unit == null ? "s" : unit) {
            case "us" -> 1e-6;
            case "ms" -> 1e-3;
            case "min" -> 60.0;
            case "h" -> 3600.0;
            default -> 1.0;
        };
    }
}
