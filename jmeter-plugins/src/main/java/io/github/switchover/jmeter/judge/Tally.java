package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Sample;
import java.util.HashMap;
import java.util.Map;

/** Counts requests one by one, so that nobody has to hold them. Not thread-safe. */
final class Tally {

    private final Map<String, Long> kinds = new HashMap<>();
    private final Map<String, Long> answered = new HashMap<>();
    private final Map<String, Counts.StreamCounts> streams = new HashMap<>();
    private final Values fromSchedule = new Values();
    private final Values fromSend = new Values();
    private long total;
    private long failed;
    private long late;
    private long generatorErrors;

    void add(Sample sample, long lateUs) {
        Outcome outcome = Outcome.of(sample, lateUs);
        if (outcome == Outcome.GENERATOR) {
            generatorErrors++;
            return;
        }
        total++;
        answered.merge(sample.identity().answeredBy().label(), 1L, Long::sum);
        if (!sample.stream().isEmpty()) {
            streams.merge(sample.stream(), of(outcome), Tally::sum);
        }
        if (outcome == Outcome.FAILED) {
            failed++;
            kinds.merge(sample.error() == null ? "unknown" : sample.error().label(), 1L, Long::sum);
            return;
        }
        if (outcome == Outcome.LATE) {
            late++;
        }
        fromSend.add(sample.endUs() - sample.startUs());
        if (sample.intendedUs() != null) {
            fromSchedule.add(Outcome.latencyUs(sample));
        }
    }

    void addAll(Tally other) {
        total += other.total;
        failed += other.failed;
        late += other.late;
        generatorErrors += other.generatorErrors;
        other.kinds.forEach((kind, count) -> kinds.merge(kind, count, Long::sum));
        other.answered.forEach((who, count) -> answered.merge(who, count, Long::sum));
        other.streams.forEach((stream, counts) -> streams.merge(stream, counts, Tally::sum));
        fromSchedule.addAll(other.fromSchedule);
        fromSend.addAll(other.fromSend);
    }

    /** {@code seconds}: how long they were sent for. */
    Counts counts(double seconds, Double users) {
        boolean scheduled = fromSchedule.count() == fromSend.count();
        Percentiles sent = Percentiles.of(fromSend);
        return new Counts(
                total,
                failed,
                late,
                generatorErrors,
                kinds,
                answered,
                streams,
                seconds > 0 ? (Double) (total / seconds) : null,
                users,
                sent == null ? null : new Latency(scheduled ? Percentiles.of(fromSchedule) : null, sent));
    }

    private static Counts.StreamCounts of(Outcome outcome) {
        return new Counts.StreamCounts(1, outcome == Outcome.FAILED ? 1 : 0, outcome == Outcome.LATE ? 1 : 0);
    }

    private static Counts.StreamCounts sum(Counts.StreamCounts a, Counts.StreamCounts b) {
        return new Counts.StreamCounts(a.total() + b.total(), a.failed() + b.failed(), a.late() + b.late());
    }
}
