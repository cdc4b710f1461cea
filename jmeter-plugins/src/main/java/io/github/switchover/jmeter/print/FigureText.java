package io.github.switchover.jmeter.print;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.judge.Outage;
import io.github.switchover.jmeter.judge.OutageKind;

/** Figures as text, with whole-number arithmetic, so that every implementation prints the same digits. */
public final class FigureText {

    private FigureText() {}

    /** {@code 3,412 ms}: whole milliseconds, halves upwards. */
    public static String milliseconds(long microseconds) {
        return Numbers.grouped(halvesUp(microseconds)) + " ms";
    }

    /** What the figure may be too long by: milliseconds rounded up, but no more than the figure itself. */
    public static String bound(Outage outage) {
        long upMs = -Math.floorDiv(-outage.earlyUs(), 1000L);
        long earlyMs = Math.min(upMs, halvesUp(outage.durationUs()));
        return "(−" + Numbers.grouped(earlyMs) + "/+0)";
    }

    /** An outage in one phrase. */
    public static String outage(Outage outage) {
        if (outage.kind() == OutageKind.NONE) {
            return "none: less than one interval";
        }
        String length = milliseconds(outage.durationUs()) + " " + bound(outage);
        if (outage.censored()) {
            // A lower bound is not rounded up.
            long surelyMs = Math.floorDiv(outage.durationUs() - outage.earlyUs(), 1000L);
            length = "at least " + Numbers.grouped(surelyMs) + " ms, not recovered";
        }
        if (outage.kind() == OutageKind.PARTIAL) {
            length += ", partial";
        }
        return outage.recovered() || outage.censored() ? length : length + ", not recovered";
    }

    /** {@code 12 of 4,000 (0.3 %)} */
    public static String share(long part, long total) {
        return total == 0
                ? "none was sent"
                : Numbers.grouped(part) + " of " + Numbers.grouped(total) + " ("
                        + Numbers.general((double) part / total * 100, 3) + " %)";
    }

    private static long halvesUp(long microseconds) {
        return Math.floorDiv(microseconds + 500, 1000L);
    }
}
