package io.github.switchover.jmeter.core;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats numbers as Python does: rounded half to even from the exact binary value, so 1.0005 becomes 1.000. */
public final class Numbers {

    private static final int GENERAL_DIGITS = 6;

    /** {@code round(value, decimals)}. */
    public static double round(double value, int decimals) {
        if (!Double.isFinite(value)) {
            return value;
        }
        BigDecimal rounded = new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN);
        return Math.copySign(rounded.doubleValue(), value);
    }

    /** {@code f"{value:.3f}"}. */
    public static String fixed(double value, int decimals) {
        if (!Double.isFinite(value)) {
            return notFinite(value);
        }
        String digits =
                new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
        boolean lostSign = digits.charAt(0) != '-' && isNegative(value);
        return lostSign ? "-" + digits : digits;
    }

    /** {@code f"{value:,.1f}"}. */
    public static String grouped(double value, int decimals) {
        String digits = fixed(value, decimals);
        String text = String.format(Locale.ROOT, "%,." + decimals + "f", new BigDecimal(digits).abs());
        return digits.startsWith("-") ? "-" + text : text;
    }

    /** {@code f"{value:,}"}. */
    public static String grouped(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** {@code f"{value:g}"}: six significant digits, without zeros at the end. */
    public static String general(double value) {
        if (!Double.isFinite(value)) {
            return notFinite(value);
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(GENERAL_DIGITS, RoundingMode.HALF_EVEN));
        return isNegative(value) && rounded.signum() == 0 ? "-0" : written(rounded);
    }

    /** Writes a number without zeros at the end, with an exponent outside {@code 10**-4} to {@code 10**6}. */
    private static String written(BigDecimal value) {
        BigDecimal stripped = value.stripTrailingZeros();
        int exponent = stripped.signum() == 0 ? 0 : stripped.precision() - stripped.scale() - 1;
        if (exponent >= -4 && exponent < GENERAL_DIGITS) {
            return stripped.toPlainString();
        }
        String mantissa = stripped.movePointLeft(exponent).toPlainString();
        return mantissa + String.format(Locale.ROOT, "e%s%02d", exponent < 0 ? "-" : "+", Math.abs(exponent));
    }

    private static String notFinite(double value) {
        return Double.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
    }

    private static boolean isNegative(double value) {
        return Double.doubleToRawLongBits(value) < 0;
    }
}
