package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.ProbeAccount.DueTimes;
import io.github.switchover.jmeter.run.ProbeAccount.LagFigures;
import io.github.switchover.jmeter.run.ProbeAccount.StreamFigures;
import java.util.List;

/** A stream's schedule and what became of it. Not thread-safe. */
final class StreamAccount {

    private final Schedule schedule;
    private final Lags lags = new Lags();
    private long good;
    private long late;
    private long failed;
    private long unsendable;
    private FailureKind lastError;

    StreamAccount(Schedule schedule) {
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

    /** {@code scheduled == recorded + unsent} once nothing is open any more. */
    StreamFigures figures(long anchorNs) {
        boolean began = schedule.scheduled() > 0;
        return new StreamFigures(
                schedule.scheduled(),
                recorded(),
                schedule.unsent(),
                schedule.gaps().stream()
                        .map(gap -> List.of(us(gap.fromNs(), anchorNs), us(gap.toNs(), anchorNs)))
                        .toList(),
                new LagFigures(lags.percentileMs(50), lags.percentileMs(99), lags.percentileMs(100)),
                new DueTimes(
                        began ? (Long) us(schedule.dueNs(0), anchorNs) : null,
                        began ? (Long) us(schedule.dueNs(schedule.scheduled() - 1), anchorNs) : null,
                        schedule.rate().perSecond()));
    }

    /** Those that the client could not send are recorded, too. */
    private long recorded() {
        return good + late + failed + unsendable;
    }

    private static long us(long monotonicNs, long anchorNs) {
        return Units.usOfNs(monotonicNs + anchorNs);
    }
}
