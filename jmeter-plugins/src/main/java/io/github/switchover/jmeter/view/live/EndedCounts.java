package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.judge.Outcome;
import java.util.List;

/** Requests (or probes) that ended, by outcome; {@code late} ones are not counted in {@code ok}. */
public record EndedCounts(long ok, long failed, long late) {

    public static final EndedCounts NONE = new EndedCounts(0, 0, 0);

    /** As the tag {@code outcome} says, in the order of {@link #of}. */
    static final List<String> OUTCOMES = List.of("ok", "failed", "late");

    static final int OK = 0;
    static final int FAILED = 1;
    static final int LATE = 2;

    static EndedCounts of(long[] counts) {
        return new EndedCounts(counts[OK], counts[FAILED], counts[LATE]);
    }

    /** The place of an outcome in {@link #OUTCOMES}; -1: it counts nowhere. */
    static int place(Outcome outcome) {
        return switch (outcome) {
            case GOOD -> OK;
            case FAILED -> FAILED;
            case LATE -> LATE;
            case GENERATOR -> -1;
        };
    }

    public long total() {
        return ok + failed + late;
    }

    public EndedCounts plus(EndedCounts other) {
        return new EndedCounts(ok + other.ok, failed + other.failed, late + other.late);
    }
}
