package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;
import java.util.List;

/**
 * The prober's own account of what it sent; null is what it does not say.
 *
 * @param fresh the stream on fresh connections
 * @param kept the stream on kept connections; null: there was none
 * @param cpuPercent of one core
 * @param realtime whether the machine let it wake its threads in time
 * @param lost probes that could not be written down
 * @param warning what it has to say, or why there is no account
 */
public record ProbeAccount(
        @Inline StreamFigures fresh,
        StreamFigures kept,
        Double cpuPercent,
        Boolean realtime,
        @Inline GcPauses pauses,
        Long lost,
        String warning) {

    /**
     * One stream: {@code scheduled == recorded + unsent}.
     *
     * @param gaps slots that were given up, as {@code [from, to)} of their due times
     */
    public record StreamFigures(
            Long scheduled,
            Long recorded,
            Long unsent,
            List<List<Long>> gaps,
            @Inline LagFigures lags,
            @Inline DueTimes due) {}

    /** Percentiles of how much later than due the probes were sent. */
    public record LagFigures(Double lagP50Ms, Double lagP99Ms, Double lagMaxMs) {}

    /** When the first and the last probe were due, and how many a second. */
    public record DueTimes(Long firstDueUs, Long lastDueUs, Double rate) {}

    /** How often and how long the garbage collector stopped all threads of this JVM. */
    public record GcPauses(Long gcPauses, Long gcPausesMs) {}

    /** Of a prober that did not end in order: what was last known, and why. */
    public static ProbeAccount ofDead(Long recorded, long lost, String reason) {
        StreamFigures fresh = new StreamFigures(null, recorded, null, List.of(), null, null);
        return new ProbeAccount(fresh, null, null, null, null, lost, reason);
    }

    /** Whether it says what was scheduled and what was not sent. */
    public boolean isComplete() {
        return fresh.scheduled != null && fresh.unsent != null;
    }
}
