package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.LimitResult;
import io.github.switchover.jmeter.run.LimitState;
import io.github.switchover.jmeter.run.LimitUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a switchover may cost at most: a limit that is kept by anything up to it.
 *
 * @param limit null: what is usual, and not known
 * @param confidence of the bound that must be within the limit, where the figure is a share that was estimated; else null
 * @param isDefault it was not asked for: it holds wherever the run has, or was to have, a source for it
 * @param isUsual the limit is what was usual: one run above it decides nothing
 * @param note where the limit comes from, or why there is none
 */
public record Limit(
        Name name, Double limit, LimitUnit unit, Double confidence, boolean isDefault, boolean isUsual, String note) {

    private static final String NO_HISTORY =
            "what is usual is told by 'switchover report', from the runs beside this one";

    /** One with a limit of its own. */
    Limit(Name name, double limit, LimitUnit unit, boolean isDefault) {
        this(name, limit, unit, null, isDefault, false, "");
    }

    /** What is limited; {@code label()} is how people write it. */
    public enum Name {
        OUTAGE,
        FAILBACK,
        FAILED,
        FAILED_TOTAL,
        LATE,
        SPLIT_BRAIN,
        UNACCOUNTED,
        LOST,
        LOSSY,
        DELAY;

        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        static Optional<Name> of(String label) {
            return Arrays.stream(values())
                    .filter(name -> name.label().equals(label))
                    .findFirst();
        }

        /** Of whole requests: no share of anything. */
        boolean isCount() {
            return this == UNACCOUNTED || this == LOST;
        }

        /** A share that was estimated, by a bound that holds with a confidence. */
        boolean isBound() {
            return this == LOSSY;
        }

        /** Whether earlier runs may give its limit. */
        boolean isOfHistory() {
            return this == OUTAGE || this == FAILBACK;
        }

        boolean isDuration() {
            return this == OUTAGE || this == FAILBACK || this == SPLIT_BRAIN || this == DELAY;
        }
    }

    /**
     * Kept by an interval that is wholly within the limit, broken by one that is wholly above it; inconclusive where the
     * limit is not known, or is what was usual.
     */
    LimitResult against(Interval figure, String own) {
        Boolean within = limit == null ? null : figure.isWithin(limit);
        LimitState above = isUsual ? LimitState.INCONCLUSIVE : LimitState.EXCEEDED;
        LimitState state = within == null ? LimitState.INCONCLUSIVE : within ? LimitState.KEPT : above;
        String why = note.isEmpty() && limit == null ? NO_HISTORY : note;
        return result(
                figure,
                state,
                Stream.of(own, why).filter(text -> !text.isEmpty()).collect(Collectors.joining("; ")));
    }

    /** What a user should know before the run, in one line. */
    public Optional<String> warning() {
        return limit == null
                ? Optional.of("limit " + this + ": " + NO_HISTORY + "; JMeter's own word is INCONCLUSIVE")
                : Optional.empty();
    }

    LimitResult unmeasured(String why) {
        return result(null, LimitState.UNMEASURED, why);
    }

    /** {@code figure} null: there is none. */
    LimitResult result(Interval figure, LimitState state, String note) {
        Double low = figure == null ? null : (Double) rounded(figure.low());
        Double high = figure == null || figure.high() == null ? null : (Double) rounded(figure.high());
        return new LimitResult(asked(), low, high, state, note);
    }

    private double rounded(double value) {
        return Numbers.round(value, unit == LimitUnit.MILLISECONDS ? 3 : 9);
    }

    /** Its canonical form. */
    @Override
    public String toString() {
        return asked().text();
    }

    private LimitResult.AskedLimit asked() {
        return new LimitResult.AskedLimit(name.label(), limit, unit, confidence, isDefault);
    }
}
