package io.github.switchover.jmeter.run;

import com.google.gson.annotations.SerializedName;
import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import java.math.RoundingMode;

/** What the limit of a limit counts in; a share is 0 to 1. */
public enum LimitUnit {
    @SerializedName("ms")
    MILLISECONDS(" ms"),
    @SerializedName("share")
    SHARE("%"),
    @SerializedName("requests")
    REQUESTS("");

    /** Shorter durations are printed with tenths. */
    private static final double TENTHS_BELOW_MS = 100;

    /** As many as a limit may have. */
    private static final int MOST_DECIMALS = 6;

    /** Less than any figure, and more than what binary fractions add. */
    private static final double NUDGE = 1e-9;

    private final String suffix;

    LimitUnit(String suffix) {
        this.suffix = suffix;
    }

    /** A limit as users write it: {@code 5s}, {@code 1.25%}, {@code 20}; with all digits that are read. */
    public String format(double value) {
        return switch (this) {
            case SHARE -> withoutZeros(Numbers.fixed(value * 100, 6)) + "%";
            case REQUESTS -> Numbers.fixed(value, 0);
            case MILLISECONDS -> withoutZeros(Numbers.fixed(value / Units.MS_PER_S, 9)) + "s";
        };
    }

    /** A limit beside a figure: {@code 3,770 ms}, {@code 1%}, {@code 20}. */
    public String limitText(double limit) {
        return trimmed(limit * (this == SHARE ? 100 : 1)) + suffix;
    }

    /**
     * {@code 3,757 to 3,784 ms}, {@code at least 3,757 ms}: rounded outwards, so that no interval looks narrower; with more
     * digits where it would be rounded to the other side of its limit.
     *
     * @param limit null: it is not known
     */
    public String figureText(Interval figure, Double limit) {
        if (figure == null) {
            return "unknown";
        }
        double known = limit == null ? Double.POSITIVE_INFINITY : limit;
        if (figure.high() == null) {
            return "at least " + rounded(figure.low(), known, RoundingMode.FLOOR) + suffix;
        }
        if (figure.low() == figure.high()) {
            return rounded(figure.low(), known, RoundingMode.HALF_EVEN) + suffix;
        }
        return rounded(figure.low(), known, RoundingMode.FLOOR) + " to "
                + rounded(figure.high(), known, RoundingMode.CEILING) + suffix;
    }

    private String rounded(double value, double limit, RoundingMode mode) {
        double nudge = mode == RoundingMode.FLOOR ? NUDGE : mode == RoundingMode.CEILING ? -NUDGE : 0;
        int scale = this == SHARE ? 100 : 1;
        int decimals = this == SHARE ? 2 : this == MILLISECONDS && value < TENTHS_BELOW_MS ? 1 : 0;
        double shown;
        do {
            double tens = Math.pow(10, decimals++);
            shown = whole(value * scale * tens + nudge, mode) / tens;
        } while (shown > limit * scale != value > limit && decimals <= MOST_DECIMALS);
        return trimmed(shown);
    }

    private static long whole(double value, RoundingMode mode) {
        double rounded = mode == RoundingMode.FLOOR
                ? Math.floor(value)
                : mode == RoundingMode.CEILING ? Math.ceil(value) : Math.rint(value);
        return (long) rounded;
    }

    private static String trimmed(double value) {
        return withoutZeros(Numbers.grouped(value, MOST_DECIMALS));
    }

    private static String withoutZeros(String decimals) {
        return decimals.replaceFirst("\\.?0+$", "");
    }
}
