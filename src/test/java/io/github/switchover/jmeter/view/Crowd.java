package io.github.switchover.jmeter.view;

import io.github.switchover.jmeter.core.Journal;
import io.github.switchover.jmeter.core.Traffic;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A load that ends requests at a rate, and writes its traffic down as a recording does. */
final class Crowd implements AutoCloseable {

    private static final int BACKENDS = 5;
    private static final long TICK_NS = 10_000_000;

    private static final List<Map<String, String>> TAGS = IntStream.range(0, 4 * BACKENDS)
            .mapToObj(n -> Map.of(
                    "backend", "web" + n % BACKENDS,
                    "balancer", "lb" + n % 2,
                    "answered_by", "backend",
                    "label", "page " + n / 7,
                    "outcome", n == 0 ? "failed" : "ok"))
            .toList();

    private final Traffic traffic = new Traffic("switchover_requests", "load", "");
    private final Journal journal;
    private long sent;

    Crowd(Path directory) {
        journal = new Journal(directory.resolve("journal-jmeter.lp"), Map.of());
    }

    void send(int rate, int seconds) throws InterruptedException {
        long beganNs = System.nanoTime();
        for (long tickNs = 0; tickNs < seconds * 1_000_000_000L; tickNs += TICK_NS) {
            long untilSent = (tickNs + TICK_NS) * rate / 1_000_000_000L;
            long nowUs = System.currentTimeMillis() * 1000;
            while (sent < untilSent) {
                traffic.add(nowUs, 1000 + sent % 100, 100, TAGS.get((int) (sent % TAGS.size())));
                sent++;
            }
            write(nowUs);
            long aheadNs = tickNs + TICK_NS - (System.nanoTime() - beganNs);
            if (aheadNs > 0) {
                Thread.sleep(aheadNs / 1_000_000, (int) (aheadNs % 1_000_000));
            }
        }
        write(Long.MAX_VALUE / 2);
    }

    long sent() {
        return sent;
    }

    private void write(long beforeUs) {
        traffic.flush(beforeUs).forEach(journal::writeLine);
    }

    @Override
    public void close() {
        journal.close();
    }
}
