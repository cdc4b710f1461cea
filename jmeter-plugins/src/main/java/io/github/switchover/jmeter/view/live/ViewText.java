package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.print.FigureText;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Figures as text, with the words and the rounding of the summary on the console. */
public final class ViewText {

    public static final String UNKNOWN = "unknown";

    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

    private ViewText() {}

    public static String count(Long value) {
        return value == null ? UNKNOWN : Numbers.grouped(value);
    }

    public static String milliseconds(Double ms) {
        return ms == null ? UNKNOWN : FigureText.milliseconds(ms);
    }

    /** {@code 33.3 %}; empty where it is not known. */
    public static String percent(Double share, int digits) {
        return share == null ? "" : Numbers.fixed(share * 100, digits) + " %";
    }

    /** {@code 1.9 ms}: how far a time may be off. */
    public static String bound(double ms) {
        return Numbers.fixed(ms, 1) + " ms";
    }

    /** A rate: whole numbers from ten on. */
    public static String rate(double value) {
        if (value >= 10_000) {
            return Numbers.fixed(value / 1000, 1) + "k";
        }
        return value < 10 ? Numbers.general(Numbers.round(value, 1)) : Numbers.grouped(Math.round(value));
    }

    /** {@code 2,609 to 3,609 ms} */
    public static String range(Double lowMs, Double highMs) {
        if (lowMs == null) {
            return UNKNOWN;
        }
        return highMs == null
                ? "at least " + milliseconds(lowMs)
                : Numbers.grouped(Math.round(lowMs)) + " to " + Numbers.grouped(Math.round(highMs)) + " ms";
    }

    /** {@code +3.81 s} */
    public static String after(long us, int digits) {
        return (us < 0 ? "−" : "+") + Numbers.fixed(Units.secondsOfUs(Math.abs(us)), digits) + " s";
    }

    /** {@code 1:05} into the run, in minutes and seconds. */
    public static String into(double seconds) {
        long whole = Math.abs(Math.round(seconds));
        return (seconds <= -0.5 ? "−" : "") + whole / 60 + ":" + (whole % 60 < 10 ? "0" : "") + whole % 60;
    }

    /** {@code 07:04:19.029} of the day, local. */
    public static String clock(long us) {
        return CLOCK.format(Instant.ofEpochMilli(Math.floorDiv(us, 1000L)));
    }
}
