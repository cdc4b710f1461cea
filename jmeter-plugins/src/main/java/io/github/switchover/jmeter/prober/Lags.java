package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Units;
import java.util.Map;
import java.util.TreeMap;

/** How long after their due times probes were sent, in steps of 10 µs, over any time in bounded memory. */
final class Lags {

    /** A hundredth of the lag that is judged. */
    static final long STEP_NS = 10_000;

    private static final int DECIMALS = 3;

    private final TreeMap<Long, Long> counts = new TreeMap<>();
    private long total;

    void add(long lagNs) {
        counts.merge(Math.floorDiv(lagNs, STEP_NS), 1L, Long::sum);
        total++;
    }

    /** The smallest step that at least {@code percent} of the probes kept, its upper end; null without probes. */
    Double percentileMs(double percent) {
        double needed = total * percent / 100;
        long seen = 0;
        for (Map.Entry<Long, Long> step : counts.entrySet()) {
            seen += step.getValue();
            if (seen >= needed) {
                return Numbers.round(Units.msOfNs((step.getKey() + 1) * STEP_NS), DECIMALS);
            }
        }
        return null;
    }
}
