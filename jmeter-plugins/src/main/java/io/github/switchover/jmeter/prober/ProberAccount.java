package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.run.ProbeAccount;
import io.github.switchover.jmeter.run.ProbeAccount.GcPauses;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;

/** Makes the account of a prober that has ended in order; made itself when the prober starts. */
final class ProberAccount {

    private final GcPauses pausesBefore = pausesSoFar();
    private final long startedNs = System.nanoTime();

    ProbeAccount closing(
            Map<ProbeStream, Loop.Feed> feeds, long anchorNs, Threads threads, ProbeQueue queue, String warning) {
        Loop.Feed kept = feeds.get(ProbeStream.KEPT);
        return new ProbeAccount(
                feeds.get(ProbeStream.FRESH).account().figures(anchorNs),
                kept == null ? null : kept.account().figures(anchorNs),
                cpuPercent(threads.cpuNs()),
                threads.arePunctual(),
                pausesSince(pausesBefore),
                queue.lost(),
                queue.warning() == null ? warning : queue.warning());
    }

    /** Of one core, all its threads together. */
    private double cpuPercent(long cpuNs) {
        return Numbers.round(100.0 * cpuNs / Math.max(1, System.nanoTime() - startedNs), 2);
    }

    private static GcPauses pausesSince(GcPauses before) {
        GcPauses now = pausesSoFar();
        return new GcPauses(now.gcPauses() - before.gcPauses(), now.gcPausesMs() - before.gcPausesMs());
    }

    private static GcPauses pausesSoFar() {
        // What runs beside the threads has these names in ZGC and Shenandoah; G1's and the others' beans count pauses.
        List<GarbageCollectorMXBean> pausing = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(bean ->
                        !bean.getName().contains("Cycles") && !bean.getName().contains("Concurrent"))
                .toList();
        return new GcPauses(
                pausing.stream()
                        .mapToLong(bean -> Math.max(bean.getCollectionCount(), 0))
                        .sum(),
                pausing.stream()
                        .mapToLong(bean -> Math.max(bean.getCollectionTime(), 0))
                        .sum());
    }
}
