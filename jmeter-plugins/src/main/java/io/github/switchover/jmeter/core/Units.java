package io.github.switchover.jmeter.core;

import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Units of time, and conversions between them. */
public final class Units {

    public static final long NS_PER_US = 1000;
    public static final long NS_PER_MS = 1_000_000;
    public static final long NS_PER_S = 1_000_000_000;
    public static final long US_PER_MS = 1000;
    public static final long US_PER_S = 1_000_000;
    public static final double MS_PER_S = 1000;

    private static final Pattern DURATION = Pattern.compile("\\s*([0-9]+(?:\\.[0-9]+)?)\\s*(us|ms|s|min|h)?\\s*");

    /** Converts seconds to ns, rounded to the nearest ns. */
    public static long ns(double seconds) {
        return Math.round(seconds * NS_PER_S);
    }

    public static double secondsOfNs(long ns) {
        return ns / (double) NS_PER_S;
    }

    public static double secondsOfUs(long us) {
        return us / (double) US_PER_S;
    }

    public static double msOfNs(long ns) {
        return ns / (double) NS_PER_MS;
    }

    public static double msOfUs(long us) {
        return us / (double) US_PER_MS;
    }

    /** Returns the microsecond that contains a time in ns. A negative time is rounded down, too. */
    public static long usOfNs(long ns) {
        return Math.floorDiv(ns, NS_PER_US);
    }

    /** Returns the wall clock in seconds since the epoch. */
    public static double nowS() {
        return System.currentTimeMillis() / MS_PER_S;
    }

    /** Converts {@code 250ms}, {@code 5s}, {@code 1.5} or {@code 2min} to seconds; a bare number is in seconds. */
    public static double parseSeconds(String text) {
        Matcher match = DURATION.matcher(text);
        if (!match.matches()) {
            throw new UsageException(ReadableText.quoted(text) + " is not a duration: write 250ms, 5s, 1.5 or 2min");
        }
        return Double.parseDouble(match.group(1)) * secondsPer(match.group(2));
    }

    private static double secondsPer(@Nullable String unit) {
        return switch (unit == null ? "s" : unit) {
            case "us" -> 1e-6;
            case "ms" -> 1e-3;
            case "min" -> 60.0;
            case "h" -> 3600.0;
            default -> 1.0;
        };
    }
}
