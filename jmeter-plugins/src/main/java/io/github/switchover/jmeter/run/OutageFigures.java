package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;
import java.util.List;

/** What one event (a fault, or its heal) cost. */
public record OutageFigures(
        OutageKind kind,
        @Inline Length length,
        @Inline Edges edges,
        @Inline Sums sums,
        @Inline GapLists lists) {

    /**
     * How long it took.
     *
     * @param lowMs null: unknown
     * @param highMs null where it was not seen to recover
     * @param detectionLimitMs a gap up to this long may have come elsewhere, unseen
     * @param censored no stability window opened before the horizon
     * @param recovered a stability window opened, and nothing was away again when the horizon came
     */
    public record Length(Double lowMs, Double highMs, Double detectionLimitMs, boolean censored, Boolean recovered) {}

    /** When it began and ended; null without an impaired probe. */
    public record Edges(Long fromUs, Long toUs) {}

    /**
     * Other ways to count it.
     *
     * @param envelopeMs from the start of the first gap to the end of the last, later gaps included
     * @param lossDerivedMs impaired probes divided by their rate (RFC 6412 section 3.6.1); null: the rate is unknown
     * @param intervalMs between two probes; null: the rate is unknown
     */
    public record Sums(double envelopeMs, double sumOfGapsMs, Double lossDerivedMs, long impaired, Double intervalMs) {}

    /**
     * The gaps one by one, as many as are listed, and how many there are.
     *
     * @param later_gaps those after a stability window had opened
     */
    public record GapLists(List<GapFigures> gaps, long gapCount, List<GapFigures> later_gaps, long laterGapCount) {
        public GapLists {
            gaps = RunFile.copy(gaps);
            later_gaps = RunFile.copy(later_gaps);
        }
    }

    /** A time without a good answer, and the impaired probes in it. */
    public record GapFigures(long fromUs, long toUs, double durationMs, long failed, long late) {}

    public OutageFigures {
        kind = kind == null ? OutageKind.OUTAGE : kind;
    }

    public boolean isNone() {
        return kind == OutageKind.NONE;
    }

    public boolean recovered() {
        return !Boolean.FALSE.equals(length.recovered);
    }

    public boolean censored() {
        return length.censored;
    }

    public Long toUs() {
        return edges.toUs;
    }

    public Double lossDerivedMs() {
        return sums.lossDerivedMs;
    }
}
