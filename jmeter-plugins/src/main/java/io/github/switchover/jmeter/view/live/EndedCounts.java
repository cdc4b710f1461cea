package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.Outcome;

/** Requests (or probes) that ended, by outcome; {@code late} ones are not counted in {@code ok}. */
public record EndedCounts(long ok, long failed, long late) {

    public static final EndedCounts NONE = new EndedCounts(0, 0, 0);

    static final int OK = 0;
    static final int FAILED = 1;
    static final int LATE = 2;
    static final int NOWHERE = -1;
    static final int PLACES = 3;

    static EndedCounts of(long[] counts) {
        return new EndedCounts(counts[OK], counts[FAILED], counts[LATE]);
    }

    /** The place of an outcome in {@link #of}; negative: it counts nowhere. */
    static int place(Outcome outcome) {
        return switch (outcome) {
            case GOOD -> OK;
            case FAILED -> FAILED;
            case LATE -> LATE;
            case UNSENT -> NOWHERE;
        };
    }

    public long total() {
        return ok + failed + late;
    }

    public EndedCounts plus(EndedCounts other) {
        return new EndedCounts(ok + other.ok, failed + other.failed, late + other.late);
    }
}
