package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.OutageFigures;
import io.github.switchover.jmeter.run.OutageKind;

/** Figures as text, for the console and the window alike. */
public final class FigureText {

    private FigureText() {}

    /** Whole milliseconds, halves upwards: {@code 3,412 ms}. */
    public static String milliseconds(double ms) {
        return Numbers.grouped(halvesUp(ms)) + " ms";
    }

    /** An outage in one phrase: {@code 3,412 ms (−2/+0)}. */
    public static String outage(OutageFigures outage) {
        if (outage.isNone()) {
            return "none: less than one interval";
        }
        OutageFigures.Length length = outage.length();
        String said = milliseconds(length.durationMs()) + " " + bound(length);
        if (length.censored()) {
            // A lower bound is not rounded up.
            long surelyMs = Math.floorDiv(microseconds(length.durationMs()) - microseconds(earlyMs(length)), 1000L);
            said = "at least " + Numbers.grouped(surelyMs) + " ms, not recovered";
        }
        if (outage.kind() == OutageKind.PARTIAL) {
            said += ", partial";
        }
        return length.recovered() || length.censored() ? said : said + ", not recovered";
    }

    /** What the figure may be too long by: milliseconds rounded up, but no more than the figure itself. */
    private static String bound(OutageFigures.Length length) {
        long upMs = -Math.floorDiv(-microseconds(earlyMs(length)), 1000L);
        return "(−" + Numbers.grouped(Math.min(upMs, halvesUp(length.durationMs()))) + "/+0)";
    }

    /** {@code 12 of 4,000 (0.3 %)} */
    public static String share(long part, long total) {
        return total == 0
                ? "none was sent"
                : Numbers.grouped(part) + " of " + Numbers.grouped(total) + " ("
                        + Numbers.general((double) part / total * 100, 3) + " %)";
    }

    private static double earlyMs(OutageFigures.Length length) {
        return length.earlyMs() == null ? 0 : length.earlyMs();
    }

    private static long halvesUp(double ms) {
        return Math.floorDiv(microseconds(ms) + 500, 1000L);
    }

    /** A verdict has milliseconds with three decimals, which a double holds to less than a microsecond. */
    private static long microseconds(double ms) {
        return Math.round(ms * 1000);
    }
}
