package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.Span.Interval;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.core.Units.Durations;
import io.github.switchover.jmeter.judge.Limit.LimitResult.LimitState;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A limit on the cost of a switchover.
 *
 * @param limit in {@code unit}; a share is from 0 to 1; null: the usual outage of earlier runs, which only
 *     {@code switchover report} knows
 * @param unit {@code ms}, {@code share} or {@code requests}
 * @param isDefault true if the user did not set the limit
 * @param text the limit as the user wrote it
 */
public record Limit(Name name, Double limit, String unit, boolean isDefault, String text) {

    static final String BY_REPORT = "told by switchover report";

    private static final String NO_HISTORY = "'switchover report' computes the usual outage from the other runs in the folder";
    private static final Pattern PERCENT = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)\\s*%");
    private static final Pattern COUNT = Pattern.compile("\\d{1,12}");
    private static final Pattern USUAL = Pattern.compile("usual\\s*(?:\\+\\s*\\d{1,3}\\s*%)?\\s*(?::(.*))?");

    /** A share, and after the {@code @} the confidence of its bound in percent. */
    private static final Pattern CONFIDENCE = Pattern.compile("(.*)@\\s*(\\d{1,2}(?:\\.\\d{1,3})?)\\s*%?");

    /** The figure that is limited; {@code label()} is its name in options and files. */
    public enum Name {
        OUTAGE("5s"),
        FAILBACK("5s"),
        FAILED("1% or failed=20"),
        FAILED_TOTAL("1% or failed-total=20"),
        LATE("1% or late=20"),
        SPLIT_BRAIN("5s"),
        UNACCOUNTED("0"),
        LOST("0"),
        LOSSY("1%@95"),
        DELAY("5s");

        private final String example;

        Name(String example) {
            this.example = example;
        }

        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /** True if only {@code switchover report} measures the figure. */
        boolean isOfReport() {
            return compareTo(UNACCOUNTED) >= 0;
        }

        boolean isDuration() {
            return this == OUTAGE || this == FAILBACK || this == SPLIT_BRAIN || this == DELAY;
        }
    }

    /** Parses a limit such as {@code outage=5s}, {@code failed=1%}, {@code failed=20} or {@code split-brain=0s}. */
    public static Limit parse(String text) {
        int equals = text.indexOf('=');
        String nameText = (equals < 0 ? text : text.substring(0, equals)).strip();
        String most = equals < 0 ? "" : text.substring(equals + 1).strip();
        String limit = "limit " + ReadableText.quoted(text);
        Name name = Arrays.stream(Name.values())
                .filter(known -> known.label().equals(nameText))
                .findFirst()
                .orElseThrow(() -> new UsageException(limit + ": " + ReadableText.quoted(nameText)
                        + " is unknown; known: "
                        + Arrays.stream(Name.values()).map(Name::label).collect(Collectors.joining(", "))));
        String example = name.label() + "=" + name.example;
        if (most.isEmpty()) {
            throw new UsageException(limit + " has no maximum: write for example " + example);
        }
        if (name.isDuration()) {
            try {
                return duration(name, most);
            } catch (UsageException error) {
                throw new UsageException(limit + ": " + error.getMessage(), error);
            }
        }
        Matcher bound = CONFIDENCE.matcher(most);
        boolean hasConfidence = name == Name.LOSSY && bound.matches();
        if (hasConfidence && Double.parseDouble(bound.group(2)) == 0) {
            throw new UsageException(limit + ": a confidence is above 0 and below 100, such as 95");
        }
        Matcher percent = PERCENT.matcher(hasConfidence ? bound.group(1).strip() : most);
        if (percent.matches() && name != Name.UNACCOUNTED && name != Name.LOST) {
            // Not divided by 100: the quotient of 0.7 is a little below 7 of 1,000, so a run with exactly 0.7% would
            // exceed it.
            double share = Double.parseDouble(percent.group(1) + "e-2");
            if (share > 1) {
                throw new UsageException(limit + ": a share cannot exceed 100%");
            }
            return of(name, share, "share");
        }
        if (name != Name.LOSSY && COUNT.matcher(most).matches()) {
            return of(name, Double.parseDouble(most), "requests");
        }
        throw new UsageException(limit + ": " + ReadableText.quoted(most) + " is not a limit for " + name.label()
                + ": write for example " + example);
    }

    private static Limit duration(Name name, String text) {
        // Removes the origin of the limit, which is in parentheses.
        String limit = text.replaceFirst("\\s*\\(.*\\)$", "");
        Matcher usual = USUAL.matcher(limit);
        boolean isUsual = (name == Name.OUTAGE || name == Name.FAILBACK) && usual.matches();
        String known = isUsual ? usual.group(1) : limit;
        double ms = known == null ? 0 : Numbers.round(Durations.parseSeconds(known) * Units.MS_PER_S, 6);
        return isUsual ? new Limit(name, null, "ms", false, name.label() + "=usual") : of(name, ms, "ms");
    }

    private static Limit of(Name name, double limit, String unit) {
        return new Limit(name, limit, unit, false, name.label() + "=" + limitText(limit, unit));
    }

    /** A default limit of 0, for a figure without a limit of the user. */
    static Limit none(Name name) {
        boolean isDuration = name.isDuration();
        return new Limit(name, 0.0, isDuration ? "ms" : "requests", true, name.label() + (isDuration ? "=0s" : "=0"));
    }

    /** A limit as users write it: {@code 5s}, {@code 1.25%}, {@code 20}. */
    private static String limitText(double limit, String unit) {
        return switch (unit) {
            case "share" -> withoutZeros(Numbers.fixed(limit * 100, 6)) + "%";
            case "requests" -> Numbers.fixed(limit, 0);
            default -> withoutZeros(Numbers.fixed(limit / Units.MS_PER_S, 9)) + "s";
        };
    }

    static String withoutZeros(String decimals) {
        return decimals.indexOf('.') < 0 ? decimals : decimals.replaceFirst("\\.?0+$", "");
    }

    public Optional<String> warning() {
        return limit == null
                ? Optional.of("limit " + text + ": " + NO_HISTORY + "; the verdict of JMeter alone is INCONCLUSIVE")
                : Optional.empty();
    }

    /**
     * Returns kept if the whole interval is within the limit, exceeded if the whole interval is above it, otherwise
     * inconclusive.
     */
    LimitResult against(Interval figure, String note) {
        if (limit == null) {
            String notes = note.isEmpty() ? NO_HISTORY : note + "; " + NO_HISTORY;
            return new LimitResult(this, figure, LimitResult.LimitState.INCONCLUSIVE, notes);
        }
        Boolean within = figure.isWithin(limit);
        LimitResult.LimitState state = within == null
                ? LimitResult.LimitState.INCONCLUSIVE
                : within ? LimitResult.LimitState.KEPT : LimitResult.LimitState.EXCEEDED;
        return new LimitResult(this, figure, state, note);
    }

    LimitResult unmeasured(String why) {
        return new LimitResult(this, null, LimitResult.LimitState.UNMEASURED, why);
    }

    @Override
    public String toString() {
        return text;
    }

    /** The limits that the user set when the run was started. */
    public static List<Limit> all(List<String> texts) {
        return texts.stream().map(Limit::parse).toList();
    }

    /**
     * The result of comparing a limit with the figure that the run measured.
     *
     * @param figure in the limit's unit; null: the run could not measure it
     */
    public record LimitResult(Limit limit, Interval figure, LimitState state, String note) {

        public enum LimitState {
            KEPT,
            EXCEEDED,
            /** The limit lies within the figure's interval: this run cannot decide it. */
            INCONCLUSIVE,
            /** The run has no source for the figure. */
            UNMEASURED;

            public String text() {
                return name().toLowerCase(Locale.ROOT);
            }
        }

        /** Smaller than the resolution of any figure, and larger than the error of binary fractions. */
        private static final double NUDGE = 1e-9;

        boolean isDecided() {
            return state == LimitState.KEPT || state == LimitState.EXCEEDED;
        }

        public String name() {
            return limit.name().label();
        }

        /** The limit as text next to a figure: {@code 3,770 ms}, {@code 1%}, {@code 20}. */
        public String limitText() {
            return limit.limit() == null
                    ? limit.text().substring(limit.text().indexOf('=') + 1)
                    : Limit.withoutZeros(Numbers.grouped(limit.limit() * scale(), 6)) + suffix();
        }

        /**
         * The figure as text: {@code 3,757 to 3,784 ms}, {@code at least 3,757 ms}. Rounded outwards, so that no
         * interval looks narrower than it is.
         */
        public String figureText() {
            if (figure == null) {
                return "unknown";
            }
            String low = rounded(figure.low(), NUDGE, false);
            if (figure.high() == null) {
                return "at least " + low + suffix();
            }
            return (figure.low() == figure.high() ? "" : low + " to ")
                    + rounded(figure.high(), -NUDGE, true)
                    + suffix();
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
}
