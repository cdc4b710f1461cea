package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.prober.Prober.ProberProgress;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The schedule and the outcomes of the probes. Not thread-safe. */
final class ProbeAccount {

    private final Schedule schedule;
    private final Lags lags = new Lags();
    private long good;
    private long late;
    private long failed;
    private long unsendable;
    private @Nullable FailureKind lastError;

    ProbeAccount(Schedule schedule) {
        this.schedule = schedule;
    }

    Schedule schedule() {
        return schedule;
    }

    void conclude(ProbeResult probe) {
        lags.add(probe.attempt().startNs() - probe.attempt().times().dueNs());
        switch (probe.outcome()) {
            case GOOD -> good++;
            case LATE -> late++;
            case FAILED -> {
                failed++;
                lastError = probe.attempt().error();
            }
            case UNSENT -> unsendable++;
        }
    }

    ProberProgress progress() {
        long sent = schedule.scheduled() - schedule.unsent();
        return new ProberProgress(sent, good, late, failed, sent - recorded(), lastError);
    }

    /** After the last probe, {@code scheduled == recorded + unsent}. Gaps are {@code [from, to)} of scheduled times. */
    Tree figures(long anchorNs) {
        boolean began = schedule.scheduled() > 0;
        return Tree.of(
                "scheduled", schedule.scheduled(),
                "recorded", recorded(),
                "unsent", schedule.unsent(),
                "gaps",
                        schedule.gaps().stream()
                                .map(gap -> List.of(us(gap.fromNs(), anchorNs), us(gap.toNs(), anchorNs)))
                                .toList(),
                "lag_p50_ms", lags.percentileMs(50),
                "lag_p99_ms", lags.percentileMs(99),
                "lag_max_ms", lags.percentileMs(100),
                "first_due_us", began ? us(schedule.dueNs(0), anchorNs) : null,
                "last_due_us", began ? us(schedule.dueNs(schedule.scheduled() - 1), anchorNs) : null,
                "rate", schedule.rate().perSecond());
    }

    /** The number of recorded probes, including those that the client could not send. */
    private long recorded() {
        return good + late + failed + unsendable;
    }

    private static long us(long monotonicNs, long anchorNs) {
        return Units.usOfNs(monotonicNs + anchorNs);
    }

    /** The delays of probes after their scheduled times, in steps of 10 µs. Memory is bounded for any duration. */
    static final class Lags {

        /** One hundredth of the delay limit. */
        static final long STEP_NS = 10_000;

        private static final int DECIMALS = 3;

        private final TreeMap<Long, Long> counts = new TreeMap<>();
        private long total;

        void add(long lagNs) {
            counts.merge(Math.floorDiv(lagNs, STEP_NS), 1L, Long::sum);
            total++;
        }

        /** Returns the upper end of the smallest step that contains at least {@code percent} of the probes. */
        @Nullable
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
}
