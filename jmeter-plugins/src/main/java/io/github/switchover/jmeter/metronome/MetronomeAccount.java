package io.github.switchover.jmeter.metronome;

import io.github.switchover.jmeter.core.Numbers;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a metronome says of itself when it is over, by the names that it has in run.json; made when it starts. */
final class MetronomeAccount {

    private final Pauses pausesBefore = Pauses.soFar();
    private final long startedNs = System.nanoTime();

    /** Of one that has ended in order. */
    Map<String, Object> closing(
            Map<ProbeStream, Loop.Feed> feeds, long anchorNs, Threads threads, ProbeQueue queue, String warning) {
        Loop.Feed kept = feeds.get(ProbeStream.KEPT);
        Pauses pauses = Pauses.soFar().since(pausesBefore);
        Map<String, Object> figures =
                new LinkedHashMap<>(feeds.get(ProbeStream.FRESH).account().figures(anchorNs));
        figures.put("kept", kept == null ? null : kept.account().figures(anchorNs));
        figures.put("cpu_percent", cpuPercent(threads.cpuNs()));
        figures.put("realtime", threads.arePunctual());
        figures.put("gc_pauses", pauses.count());
        figures.put("gc_pauses_ms", pauses.ms());
        figures.put("lost", queue.lost());
        figures.put("warning", queue.warning() == null ? warning : queue.warning());
        return figures;
    }

    /** Of one that has not: what was last known of the fresh stream, and why. */
    static Map<String, Object> ofTheDead(MetronomeProgress last, long lost, String reason) {
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("scheduled", null);
        figures.put("recorded", last == null ? null : last.good() + last.failed() + last.late());
        figures.put("unsent", null);
        figures.put("gaps", List.of());
        figures.put("lost", lost);
        figures.put("warning", reason);
        return figures;
    }

    /** Of one core, all its threads together. */
    private double cpuPercent(long cpuNs) {
        return Numbers.round(100.0 * cpuNs / Math.max(1, System.nanoTime() - startedNs), 2);
    }
}
