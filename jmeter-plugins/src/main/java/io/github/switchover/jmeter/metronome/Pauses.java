package io.github.switchover.jmeter.metronome;

import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** How often and how long the garbage collector has stopped all threads, this JVM's load and metronome alike. */
record Pauses(long count, long ms) {

    static Pauses soFar() {
        // What runs beside the threads has these names in ZGC and Shenandoah; G1's and the others' beans count pauses.
        List<GarbageCollectorMXBean> pausing = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(bean ->
                        !bean.getName().contains("Cycles") && !bean.getName().contains("Concurrent"))
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
