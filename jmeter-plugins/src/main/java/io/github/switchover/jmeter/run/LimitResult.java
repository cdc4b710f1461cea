package io.github.switchover.jmeter.run;

import com.google.gson.annotations.SerializedName;
import io.github.switchover.jmeter.core.Inline;
import io.github.switchover.jmeter.core.Interval;
import io.github.switchover.jmeter.core.LeftOut;
import io.github.switchover.jmeter.core.Numbers;

/**
 * A limit against the figure that the run measured, in the limit's unit.
 *
 * @param low null, like {@code high}: the run could not measure it
 * @param high null with a low end: nothing says how far it went
 */
public record LimitResult(@Inline AskedLimit asked, Double low, Double high, LimitState state, String note) {

    /**
     * What was asked.
     *
     * @param limit null: what is usual, and not known
     * @param confidence of the bound that must be within the limit; null: the figure is no share that was estimated
     * @param isDefault not asked by the user: it holds wherever the run has a source for it
     */
    public record AskedLimit(
            String name,
            Double limit,
            LimitUnit unit,
            @LeftOut Double confidence,
            @SerializedName("default") boolean isDefault) {
        public AskedLimit {
            unit = unit == null ? LimitUnit.MILLISECONDS : unit;
        }

        /** As it is written: {@code outage=5s}, {@code lossy=1%@95}. */
        public String text() {
            String of = confidence == null ? "" : "@" + Numbers.general(confidence * 100, CONFIDENCE_DIGITS);
            return name + "=" + (limit == null ? USUAL : unit.format(limit)) + of;
        }
    }

    /** What stands for a limit that is usual, and not known. */
    public static final String USUAL = "usual";

    private static final int CONFIDENCE_DIGITS = 4;

    public LimitResult {
        state = state == null ? LimitState.UNMEASURED : state;
        note = note == null ? "" : note;
    }

    public String name() {
        return asked.name;
    }

    public String text() {
        return asked.text();
    }

    public String limitText() {
        return asked.limit == null ? USUAL : asked.unit.limitText(asked.limit);
    }

    /** {@code 3,757 to 3,784 ms} */
    public String figureText() {
        return asked.unit.figureText(low == null ? null : new Interval(low, high), asked.limit);
    }
}
