package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Tree;
import java.util.Locale;

/**
 * A limit against the figure that the run measured.
 *
 * @param figure in the limit's unit; null: the run could not measure it
 */
public record LimitResult(Limit limit, Interval figure, LimitState state, String note) {

    /** What became of a limit. */
    public enum LimitState {
        KEPT,
        EXCEEDED,
        /** The limit lies within the figure's interval: this run cannot tell. */
        INCONCLUSIVE,
        /** The run has no source for the figure. */
        UNMEASURED;

        /** As it stands in verdict.json. */
        public String text() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Less than any figure, and more than what binary fractions add. */
    private static final double NUDGE = 1e-9;

    boolean isDecided() {
        return state == LimitState.KEPT || state == LimitState.EXCEEDED;
    }

    public String name() {
        return limit.name().label();
    }

    /** A limit beside a figure: {@code 3,770 ms}, {@code 1%}, {@code 20}. */
    public String limitText() {
        return limit.limit() == null
                ? limit.text().substring(limit.text().indexOf('=') + 1)
                : Limit.withoutZeros(Numbers.grouped(limit.limit() * scale(), 6)) + suffix();
    }

    /** {@code 3,757 to 3,784 ms}, {@code at least 3,757 ms}: rounded outwards, so that no interval looks narrower. */
    public String figureText() {
        if (figure == null) {
            return "unknown";
        }
        String low = rounded(figure.low(), NUDGE, false);
        if (figure.high() == null) {
            return "at least " + low + suffix();
        }
        return (figure.low() == figure.high() ? "" : low + " to ") + rounded(figure.high(), -NUDGE, true) + suffix();
    }

    private String rounded(double value, double nudge, boolean isUp) {
        double tens = limit.unit().equals("share") ? 100 : limit.unit().equals("ms") && value < 100 ? 10 : 1;
        double scaled = value * scale() * tens + nudge;
        double whole = figure.high() != null && figure.low() == figure.high()
                ? Math.rint(scaled)
                : isUp ? Math.ceil(scaled) : Math.floor(scaled);
        return Limit.withoutZeros(Numbers.grouped(whole / tens + 0.0, 2)); // no -0
    }

    private double scale() {
        return limit.unit().equals("share") ? 100 : 1;
    }

    private String suffix() {
        return switch (limit.unit()) {
            case "ms" -> " ms";
            case "share" -> "%";
            default -> "";
        };
    }

    Tree tree() {
        return Tree.of(
                "name", name(),
                "limit", limit.limit(),
                "unit", limit.unit(),
                "default", limit.isDefault(),
                "low", figure == null ? null : rounded(figure.low()),
                "high", figure == null || figure.high() == null ? null : rounded(figure.high()),
                "state", state.text(),
                "note", note);
    }

    private Double rounded(double value) {
        return Numbers.round(value, limit.unit().equals("ms") ? 3 : 9);
    }
}
