package io.github.switchover.jmeter.metronome;

import io.github.switchover.jmeter.core.FailureKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A stream's schedule and what became of it. Not thread-safe. */
final class StreamAccount {

    private static final long NS_PER_US = 1000;

    private final Schedule schedule;
    private final Lags lags = new Lags();
    private Lags recent = new Lags();
    private long good;
    private long late;
    private long failed;
    private Long lastGoodUs;
    private FailureKind lastError;

    StreamAccount(Schedule schedule) {
        this.schedule = schedule;
    }

    Schedule schedule() {
        return schedule;
    }

    void conclude(ProbeResult probe) {
        recent.add(probe.attempt().startNs() - probe.attempt().dueNs());
        switch (probe.outcome()) {
            case OK -> {
                good++;
                lastGoodUs = probe.endUs();
            }
            case LATE -> late++;
            case FAILED -> {
                failed++;
                lastError = probe.attempt().error();
            }
        }
    }

    MetronomeProgress progress() {
        Lags second = recent;
        recent = new Lags();
        lags.merge(second);
        long sent = schedule.scheduled() - schedule.unsent();
        return new MetronomeProgress(
                sent, good, failed, late, sent - recorded(), second.percentileMs(99), lastGoodUs, lastError);
    }

    /**
     * Its part of an account, by the names that it has in run.json: {@code scheduled == recorded + unsent} once nothing
     * is open any more.
     */
    Map<String, Object> figures(long anchorNs) {
        lags.merge(recent);
        recent = new Lags();
        List<List<Long>> gaps = new ArrayList<>();
        schedule.gaps().forEach(gap -> gaps.add(List.of(us(gap.fromNs(), anchorNs), us(gap.toNs(), anchorNs))));
        boolean began = schedule.scheduled() > 0;
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("scheduled", schedule.scheduled());
        figures.put("recorded", recorded());
        figures.put("unsent", schedule.unsent());
        figures.put("gaps", gaps);
        figures.put("lag_p50_ms", lags.percentileMs(50));
        figures.put("lag_p99_ms", lags.percentileMs(99));
        figures.put("lag_max_ms", lags.percentileMs(100));
        figures.put("first_due_us", began ? us(schedule.dueNs(0), anchorNs) : null);
        figures.put("last_due_us", began ? us(schedule.dueNs(schedule.scheduled() - 1), anchorNs) : null);
        figures.put("rate", schedule.rate().perSecond());
        return figures;
    }

    private long recorded() {
        return good + late + failed;
    }

    private static long us(long monotonicNs, long anchorNs) {
        return Math.floorDiv(monotonicNs + anchorNs, NS_PER_US);
    }
}
