package io.github.switchover.jmeter.metronome;

import io.github.switchover.jmeter.core.Numbers;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
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

    /** How often and how long the garbage collector has stopped all threads, this JVM's load and metronome alike. */
    private record Pauses(long count, long ms) {

        static Pauses soFar() {
            // What runs beside the threads has these names in ZGC and Shenandoah; G1's and the others' beans count
            // pauses.
            List<GarbageCollectorMXBean> pausing = ManagementFactory.getGarbageCollectorMXBeans().stream()
                    .filter(bean -> !bean.getName().contains("Cycles")
                            && !bean.getName().contains("Concurrent"))
                    .toList();
            return new Pauses(
                    pausing.stream()
                            .mapToLong(bean -> Math.max(bean.getCollectionCount(), 0))
                            .sum(),
                    pausing.stream()
                            .mapToLong(bean -> Math.max(bean.getCollectionTime(), 0))
                            .sum());
        }

        Pauses since(Pauses before) {
            return new Pauses(count - before.count, ms - before.ms);
        }
    }
}
