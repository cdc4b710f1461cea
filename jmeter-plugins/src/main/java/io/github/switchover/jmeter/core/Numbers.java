package io.github.switchover.jmeter.core;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** Formats numbers as Python does: rounded half to even from the exact binary value, so 1.0005 becomes 1.000. */
public final class Numbers {

    private static final int GENERAL_DIGITS = 6;

    private Numbers() {}

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
        int point = digits.indexOf('.');
        String whole = point < 0 ? digits : digits.substring(0, point);
        String sign = whole.startsWith("-") ? "-" : "";
        StringBuilder text = new StringBuilder(whole.substring(sign.length()));
        for (int at = text.length() - 3; at > 0; at -= 3) {
            text.insert(at, ',');
        }
        return sign + text + (point < 0 ? "" : digits.substring(point));
    }

    /** {@code f"{value:,}"}. */
    public static String grouped(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    /** {@code f"{value:g}"}: six significant digits, without zeros at the end. */
    public static String general(double value) {
        return general(value, GENERAL_DIGITS);
    }

    /** {@code f"{value:.3g}"}. */
    public static String general(double value, int digits) {
        if (!Double.isFinite(value)) {
            return notFinite(value);
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(digits, RoundingMode.HALF_EVEN));
        return isNegative(value) && rounded.signum() == 0 ? "-0" : written(rounded, digits);
    }

    /** Writes a number without zeros at the end, with an exponent outside {@code 10**-4} to {@code 10**limit}. */
    private static String written(BigDecimal value, int limit) {
        BigDecimal stripped = value.stripTrailingZeros();
        int exponent = stripped.signum() == 0 ? 0 : stripped.precision() - stripped.scale() - 1;
        if (exponent >= -4 && exponent < limit) {
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
