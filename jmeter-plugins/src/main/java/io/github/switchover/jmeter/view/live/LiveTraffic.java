package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.BoundedNames;
import io.github.switchover.jmeter.core.Labelled;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.run.PointFormat;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Counts requests and probes from the journals: per second for the last hour, and in total. Not thread-safe.
 *
 * <p>Only the last total of a bucket counts, so a line that is read twice changes nothing.
 */
public final class LiveTraffic {

    static final int KEEP_S = 3600;

    /** The highest number of distinct combinations of balancer, backend and {@code answered_by}. */
    static final int SOURCES_LIMIT = 100;

    /** The length of the last part of the load. Its shares are shown next to the shares of the whole run. */
    static final int RECENT_S = 10;

    /** The time for which a bucket can be corrected: a writer may write it again with its new total for two minutes. */
    private static final long CORRECTED_S = 150;

    /** The largest accepted lead: a point with a wrong clock would displace all other seconds. */
    private static final long AHEAD_S = 60;

    private static final long COUNT_LIMIT = 1_000_000_000_000_000L;

    /** The number of requests (or probes) by outcome. */
    public record Ended(long good, long failed, long late) {

        static final Ended NONE = new Ended(0, 0, 0);

        static Ended of(@Nullable Outcome outcome, long number) {
            return switch (outcome) {
                case GOOD -> new Ended(number, 0, 0);
                case FAILED -> new Ended(0, number, 0);
                case LATE -> new Ended(0, 0, number);
                case UNSENT -> NONE;
            };
        }

        public long total() {
            return good + failed + late;
        }

        Ended plus(Ended other) {
            return new Ended(good + other.good, failed + other.failed, late + other.late);
        }
    }

    /** The source of an answer. */
    public record AnswerSource(String balancer, String backend, String answeredBy) {}

    /** The requests and probes that ended in one second. */
    public record SecondCounts(long atS, Ended probes, Map<AnswerSource, Ended> bySource) {

        public Ended requests() {
            return bySource.values().stream().reduce(Ended.NONE, Ended::plus);
        }

        private SecondCounts plus(SecondCounts other) {
            return new SecondCounts(atS, probes.plus(other.probes), merged(bySource, other.bySource));
        }
    }

    /** The answers of one backend or balancer, and its shares of the whole run and of its last seconds. */
    public record Share(String name, long count, double share, double recent) {}

    private final TreeMap<Long, Map<List<Object>, Long>> totals = new TreeMap<>();
    private final TreeMap<Long, SecondCounts> seconds = new TreeMap<>();
    private Map<AnswerSource, Ended> whole = new HashMap<>();

    /** Reads a point of {@code switchover_requests} or {@code switchover_probes}. */
    void read(Point point, long nowS) {
        boolean isProbe = point.measurement().equals(Measurements.PROBES);
        Outcome outcome = Labelled.of(Outcome.values(), point.tag("outcome"));
        Double count = point.number("count");
        long atS = Math.floorDiv(point.timeNs(), 1_000_000_000L);
        boolean isOurs = outcome != null
                && outcome != Outcome.UNSENT
                && !(isProbe && point.tag("stream").equals("kept"));
        if (!isOurs || count == null || count > COUNT_LIMIT || atS > nowS + AHEAD_S) {
            return;
        }
        List<Object> series = List.of(point.measurement(), point.tags());
        Long before = totals.computeIfAbsent(atS, second -> new HashMap<>()).put(series, count.longValue());
        Ended ended = Ended.of(outcome, count.longValue() - (before == null ? 0 : before));
        Map<AnswerSource, Ended> answered = isProbe ? Map.of() : Map.of(source(point), ended);
        seconds.merge(atS, new SecondCounts(atS, isProbe ? ended : Ended.NONE, answered), SecondCounts::plus);
        whole = merged(whole, answered);
    }

    private AnswerSource source(Point point) {
        AnswerSource source = new AnswerSource(point.tag("balancer"), point.tag("backend"), point.tag("answered_by"));
        boolean isKnown = whole.containsKey(source) || whole.size() < SOURCES_LIMIT - 1;
        return isKnown ? source : new AnswerSource(BoundedNames.OTHER, BoundedNames.OTHER, BoundedNames.OTHER);
    }

    private static Map<AnswerSource, Ended> merged(Map<AnswerSource, Ended> one, Map<AnswerSource, Ended> other) {
        Map<AnswerSource, Ended> both = new HashMap<>(one);
        other.forEach((source, ended) -> both.merge(source, ended, Ended::plus));
        return both;
    }

    /** Drops counts that can no longer be corrected, or are too old to be shown. */
    void settle(long nowS) {
        totals.headMap(nowS - CORRECTED_S).clear();
        if (!seconds.isEmpty()) {
            seconds.headMap(seconds.lastKey() - KEEP_S).clear();
        }
    }

    List<SecondCounts> seconds() {
        return List.copyOf(seconds.values());
    }

    List<Share> shares(Function<AnswerSource, String> name) {
        long newestS = seconds.values().stream()
                .filter(second -> !second.bySource.isEmpty())
                .mapToLong(SecondCounts::atS)
                .max()
                .orElse(0);
        Map<AnswerSource, Ended> last = seconds.tailMap(newestS - RECENT_S + 1).values().stream()
                .map(SecondCounts::bySource)
                .reduce(Map.of(), LiveTraffic::merged);
        Map<String, Long> counts = counts(whole, name);
        Map<String, Long> recent = counts(last, name);
        double all = Math.max(1, sum(counts));
        double allRecent = Math.max(1, sum(recent));
        return counts.entrySet().stream()
                .map(entry -> new Share(
                        entry.getKey(),
                        entry.getValue(),
                        entry.getValue() / all,
                        recent.getOrDefault(entry.getKey(), 0L) / allRecent))
                .toList();
    }

    private static Map<String, Long> counts(Map<AnswerSource, Ended> sources, Function<AnswerSource, String> name) {
        Map<String, Long> counts = new TreeMap<>(PointFormat.CODE_POINT_ORDER);
        sources.forEach((source, ended) -> counts.merge(name.apply(source), ended.total(), Long::sum));
        counts.remove("");
        return counts;
    }

    private static long sum(Map<String, Long> counts) {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }
}
