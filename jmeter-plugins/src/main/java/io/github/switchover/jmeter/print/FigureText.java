package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.OutageFigures;
import io.github.switchover.jmeter.run.OutageKind;
import io.github.switchover.jmeter.run.OwnerFigures;
import java.math.BigDecimal;

/** Figures as text, for the console and the window alike. */
public final class FigureText {

    private FigureText() {}

    /** Whole milliseconds, halves upwards: {@code 3,412 ms}. */
    public static String milliseconds(double ms) {
        return Numbers.grouped(halvesUp(ms)) + " ms";
    }

    /** An outage in one phrase: {@code 3,412 ms (−2/+0)}; where there was none, how long one may have been unseen. */
    public static String outage(OutageFigures outage) {
        OutageFigures.Length length = outage.length();
        if (outage.isNone()) {
            return "none longer than " + noMoreThan(length.detectionLimitMs());
        }
        String said = length.highMs() == null
                // A lower bound is not rounded up.
                ? "at least " + Numbers.grouped(Math.floorDiv(microseconds(length.lowMs()), 1000L))
                        + " ms, not recovered"
                : milliseconds(length.highMs()) + " " + bound(length);
        if (outage.kind() == OutageKind.PARTIAL) {
            said += ", partial";
        }
        return outage.recovered() || length.highMs() == null ? said : said + ", not recovered";
    }

    /** What the figure may be too long by: milliseconds rounded up, but no more than the figure itself. */
    private static String bound(OutageFigures.Length length) {
        long earlyUs = length.lowMs() == null ? 0 : microseconds(length.highMs()) - microseconds(length.lowMs());
        long upMs = -Math.floorDiv(-earlyUs, 1000L);
        return "(−" + Numbers.grouped(Math.min(upMs, halvesUp(length.highMs()))) + "/+0)";
    }

    /** {@code 12 of 4,000 (0.3 %)}; a very small share, too, in decimals: {@code 1 of 20,000,000 (0.000005 %)}. */
    public static String share(long part, long total) {
        String percent = new BigDecimal(Numbers.general((double) part / total * 100, 3)).toPlainString();
        return Numbers.grouped(part) + " of " + Numbers.grouped(total) + " (" + percent + " %)";
    }

    /**
     * {@code none}; {@code at most 312 ms} where the overlap is within the clocks' bounds, so it may be a handover.
     */
    public static String noSplitBrain(OwnerFigures owners) {
        Double highMs = owners.splitBrain() == null ? null : owners.splitBrain().highMs();
        return highMs == null || highMs == 0 ? "none" : "at most " + noMoreThan(highMs);
    }

    /** An upper bound in whole milliseconds: it is not rounded down. */
    static String noMoreThan(Double ms) {
        return Numbers.grouped(ms == null ? 0 : -Math.floorDiv(-microseconds(ms), 1000L)) + " ms";
    }

    private static long halvesUp(double ms) {
        return Math.floorDiv(microseconds(ms) + 500, 1000L);
    }

    /** A verdict has milliseconds with three decimals, which a double holds to less than a microsecond. */
    private static long microseconds(double ms) {
        return Math.round(ms * Units.US_PER_MS);
    }
}
