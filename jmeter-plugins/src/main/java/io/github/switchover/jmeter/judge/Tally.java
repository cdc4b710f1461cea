package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.run.RequestCounts;
import io.github.switchover.jmeter.run.RequestCounts.Breakdown;
import io.github.switchover.jmeter.run.RequestCounts.LatencyFigures;
import io.github.switchover.jmeter.run.RequestCounts.Percentiles;
import io.github.switchover.jmeter.run.RequestCounts.RequestRate;
import io.github.switchover.jmeter.run.RequestCounts.StreamCounts;
import io.github.switchover.jmeter.run.RequestCounts.Totals;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Counts requests one by one, so that they need not be held. Not thread-safe. */
final class Tally {

    private final Map<String, Long> kinds = new HashMap<>();
    private final Map<String, Long> answered = new HashMap<>();
    private final Map<String, StreamCounts> streams = new HashMap<>();
    private final Values fromSchedule = new Values();
    private final Values fromSend = new Values();
    private long total;
    private long failed;
    private long late;
    private long unsent;

    void add(Sample sample, long lateUs) {
        Outcome outcome = Outcome.of(sample, lateUs);
        if (outcome == Outcome.UNSENT) {
            unsent++;
            return;
        }
        total++;
        answered.merge(sample.identity().answeredBy().label(), 1L, Long::sum);
        if (!sample.request().stream().isEmpty()) {
            streams.merge(sample.request().stream(), of(outcome), Tally::sum);
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
        if (sample.times().intendedUs() != null) {
            fromSchedule.add(Outcome.latencyUs(sample));
        }
    }

    void addAll(Tally other) {
        total += other.total;
        failed += other.failed;
        late += other.late;
        unsent += other.unsent;
        other.kinds.forEach((kind, count) -> kinds.merge(kind, count, Long::sum));
        other.answered.forEach((who, count) -> answered.merge(who, count, Long::sum));
        other.streams.forEach((stream, counts) -> streams.merge(stream, counts, Tally::sum));
        fromSchedule.addAll(other.fromSchedule);
        fromSend.addAll(other.fromSend);
    }

    /** {@code seconds}: how long they were sent for. */
    RequestCounts counts(double seconds, Double users) {
        boolean scheduled = fromSchedule.count() == fromSend.count();
        Percentiles sent = percentiles(fromSend);
        return new RequestCounts(
                new Totals(total, failed, late, unsent),
                new RequestRate(
                        seconds > 0 ? (Double) Numbers.round(total / seconds, 3) : null,
                        users == null ? null : (Double) Numbers.round(users, 3)),
                new Breakdown(new TreeMap<>(kinds), new TreeMap<>(answered), new TreeMap<>(streams)),
                sent == null ? null : new LatencyFigures(scheduled ? percentiles(fromSchedule) : null, sent));
    }

    /** Null without a value. */
    private static Percentiles percentiles(Values values) {
        if (values.count() == 0) {
            return null;
        }
        long[] ranked = values.ranked();
        return new Percentiles(
                milliseconds(Values.nearestRank(ranked, 50)),
                milliseconds(Values.nearestRank(ranked, 90)),
                milliseconds(Values.nearestRank(ranked, 99)),
                milliseconds(ranked[ranked.length - 1]));
    }

    private static double milliseconds(long microseconds) {
        return Numbers.round(Units.msOfUs(microseconds), 3);
    }

    private static StreamCounts of(Outcome outcome) {
        return new StreamCounts(1, outcome == Outcome.FAILED ? 1 : 0, outcome == Outcome.LATE ? 1 : 0);
    }

    private static StreamCounts sum(StreamCounts a, StreamCounts b) {
        return new StreamCounts(a.total() + b.total(), a.failed() + b.failed(), a.late() + b.late());
    }
}
