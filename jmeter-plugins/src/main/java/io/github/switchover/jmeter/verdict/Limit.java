package io.github.switchover.jmeter.verdict;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.core.Span.Interval;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.verdict.Limit.LimitResult.LimitState;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.tomlj.Toml;
import org.tomlj.TomlParseResult;

/**
 * A limit on the cost of a switchover.
 *
 * @param limit in {@code unit}; a share is from 0 to 1; null: only {@code switchover report} can check the limit
 * @param unit {@code ms}, {@code share} or {@code requests}
 * @param isDefault true if the user did not set the limit
 * @param text the limit as the user wrote it
 */
public record Limit(Name name, @Nullable Double limit, String unit, boolean isDefault, String text) {

    private static final Pattern PERCENT = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)\\s*%");
    private static final Pattern COUNT = Pattern.compile("\\d{1,12}");

    /** The figure that is limited. {@code tables/limits.toml}, which both languages read, has a row for each. */
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

        private static final TomlParseResult TABLE = Toml.parse(ResourceText.table("limits.toml"));

        /** The name in options and files. */
        public String label() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        List<Object> units() {
            return TABLE.getArrayOrEmpty(label() + ".units").toList();
        }

        boolean is(String flag) {
            return TABLE.getBoolean(label() + "." + flag, () -> false);
        }

        private String text(String field) {
            return requireNonNull(TABLE.getString(label() + "." + field));
        }

        private static Name of(String text) {
            String label = text.split("=", 2)[0].strip();
            return Arrays.stream(values())
                    .filter(name -> name.label().equals(label))
                    .findFirst()
                    .orElseThrow(() -> refused(
                            text,
                            ReadableText.quoted(label) + " is unknown; known: "
                                    + Arrays.stream(values()).map(Name::label).collect(Collectors.joining(", "))));
        }
    }

    /**
     * Parses a limit such as {@code outage=5s}, {@code failed=1%}, {@code failed=20} or {@code split-brain=0s}.
     *
     * @throws UsageException if the limit is wrong, or if only {@code switchover report} can check it
     */
    public static Limit parse(String text) {
        Name name = Name.of(text);
        String maximum = text.contains("=") ? maximum(text) : "";
        if (!name.is("jmeter") || (name.is("usual") && maximum.startsWith("usual"))) {
            throw refused(text, "JMeter alone cannot check this limit: pass it to 'switchover report'");
        }
        if (maximum.isEmpty()) {
            String why = " has no maximum: write for example ";
            throw new UsageException("limit " + ReadableText.quoted(text) + why + name.text("example"));
        }
        return read(name, text, false);
    }

    private static Limit read(Name name, String text, boolean isDefault) {
        String maximum = maximum(text);
        List<Object> units = name.units();
        if (units.contains("ms")) {
            try {
                double ms = Numbers.round(Units.parseSeconds(maximum) * Units.MS_PER_S, 6);
                return new Limit(name, ms, "ms", isDefault, text);
            } catch (UsageException error) {
                throw refused(text, error.getMessage());
            }
        }
        Matcher percent = PERCENT.matcher(maximum);
        if (percent.matches() && units.contains("share")) {
            // Not divided by 100: 0.7 / 100 is slightly below 7 / 1,000, so exactly 0.7% would exceed the limit.
            double share = Double.parseDouble(percent.group(1) + "e-2");
            if (share > 1) {
                throw refused(text, "a share cannot exceed 100%");
            }
            return new Limit(name, share, "share", isDefault, text);
        }
        if (COUNT.matcher(maximum).matches() && units.contains("requests")) {
            return new Limit(name, Double.parseDouble(maximum), "requests", isDefault, text);
        }
        String why = " is not a limit for " + name.label() + ": write for example " + name.text("example");
        throw refused(text, ReadableText.quoted(maximum) + why);
    }

    private static UsageException refused(String text, String why) {
        return new UsageException("limit " + ReadableText.quoted(text) + ": " + why);
    }

    /** The limits of a run. A limit that the jar cannot check stays without a value. */
    public static List<Limit> all(List<String> texts) {
        return texts.stream().map(Limit::ofRun).toList();
    }

    private static Limit ofRun(String text) {
        try {
            return parse(text);
        } catch (UsageException error) {
            Name name = Name.of(text);
            return new Limit(name, null, name.units().get(0).toString(), false, text);
        }
    }

    /** Returns the default limit, for a figure for which the user set no limit. */
    static Limit byDefault(Name name) {
        return read(name, name.label() + "=" + name.text("default"), true);
    }

    /** True if only {@code switchover report} can measure the figure or check the limit. */
    boolean needsReport() {
        return limit == null || !name.is("jmeter");
    }

    /** The maximum as the user wrote it. */
    String maximum() {
        return maximum(text);
    }

    private static String maximum(String text) {
        return text.substring(text.indexOf('=') + 1).strip();
    }

    /**
     * Returns kept if the whole interval is within the limit, exceeded if the whole interval is above the limit,
     * otherwise inconclusive.
     */
    LimitResult against(Interval figure, String note) {
        Boolean within = figure.isWithin(requireNonNull(limit));
        LimitState state = within == null ? LimitState.INCONCLUSIVE : within ? LimitState.KEPT : LimitState.EXCEEDED;
        return new LimitResult(this, figure, state, note);
    }

    LimitResult inconclusive(String why) {
        return new LimitResult(this, null, LimitState.INCONCLUSIVE, why);
    }

    LimitResult unmeasured(String why) {
        return new LimitResult(this, null, LimitState.UNMEASURED, why);
    }

    /**
     * The result of comparing a limit with the figure that the run measured.
     *
     * @param figure in the limit's unit
     */
    public record LimitResult(Limit limit, @Nullable Interval figure, LimitState state, String note) {

        public enum LimitState {
            KEPT,
            EXCEEDED,
            /** The limit lies inside the interval of the figure, so this run cannot show whether the limit is kept. */
            INCONCLUSIVE,
            /** The run has no source for the figure. */
            UNMEASURED;

            public String text() {
                return name().toLowerCase(Locale.ROOT);
            }
        }

        /** The maximum number of decimals of a figure. Errors of binary fractions are smaller. */
        private static final int MOST_DECIMALS = 6;

        boolean isDecided() {
            return state == LimitState.KEPT || state == LimitState.EXCEEDED;
        }

        public String name() {
            return limit.name().label();
        }

        /**
         * The figure as text: {@code 3,757 to 3,784 ms}, {@code at least 3,757 ms}. Rounded outwards, so that no
         * interval looks narrower than it is.
         */
        public String figureText() {
            if (figure == null) {
                return "unknown";
            }
            double low = figure.low();
            Double high = figure.high();
            String text = high == null
                    ? "at least " + rounded(low, RoundingMode.FLOOR)
                    : low == high
                            ? rounded(low, RoundingMode.HALF_EVEN)
                            : rounded(low, RoundingMode.FLOOR) + " to " + rounded(high, RoundingMode.CEILING);
            return text + (isShare() ? "%" : isTime() ? " ms" : "");
        }

        private boolean isShare() {
            return limit.unit().equals("share");
        }

        boolean isTime() {
            return limit.unit().equals("ms");
        }

        /** Rounds a value, but never onto the other side of the limit: more decimals are then printed. */
        private String rounded(double value, RoundingMode mode) {
            int scale = isShare() ? 100 : 1;
            double maximum = requireNonNull(limit.limit());
            BigDecimal exact = BigDecimal.valueOf(Numbers.round(value * scale, MOST_DECIMALS));
            for (int decimals = isShare() ? 2 : isTime() && value < 100 ? 1 : 0; ; decimals++) {
                double shown = exact.setScale(decimals, mode).doubleValue();
                if (shown > maximum * scale == value > maximum || decimals == MOST_DECIMALS) {
                    return Numbers.grouped(shown, MOST_DECIMALS).replaceFirst("\\.?0+$", "");
                }
            }
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
            return Numbers.round(value, isTime() ? 3 : 9);
        }
    }
}
