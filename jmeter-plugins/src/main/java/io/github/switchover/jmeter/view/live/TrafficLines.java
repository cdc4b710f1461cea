package io.github.switchover.jmeter.view.live;

import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.PointParser;
import io.github.switchover.jmeter.core.Units;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Lines of traffic ({@code switchover_requests}, {@code switchover_probes}) as counts: what each adds to what was known.
 * All workers and labels are added up. The last total of a bucket counts, so reading a line twice changes nothing. Not
 * thread-safe.
 */
final class TrafficLines {

    /** A bucket may be written again, with its new total, for two minutes. */
    private static final long CORRECTED_S = 150;

    private static final int CACHE_LIMIT = 20_000;
    private static final long COUNT_LIMIT = 1_000_000_000_000_000L;
    private static final LineKind NONE = new LineKind(null, -1, "");

    /**
     * So many more requests (probes, where {@code series} is null) ended in this second; fewer, where a total fell.
     *
     * @param error of probes that failed; else empty
     */
    record Addition(long atS, Integer series, int outcome, String error, long number) {}

    /** What the lines of one series have in common; {@code outcome} is negative where they are none of ours. */
    private record LineKind(Integer series, int outcome, String error) {}

    private final SeriesNumbers numbers;
    private final Map<String, LineKind> kinds = new HashMap<>();
    private final TreeMap<Long, Map<String, Long>> totals = new TreeMap<>();

    TrafficLines(SeriesNumbers numbers) {
        this.numbers = numbers;
    }

    /** Null if the line adds nothing, or is no line of traffic. */
    Addition read(String line) {
        int end = LineParts.seriesEnd(line);
        String series = line.substring(0, end);
        LineKind kind = kinds.get(series);
        if (kind == null) {
            if (kinds.size() >= CACHE_LIMIT) {
                kinds.clear();
            }
            kind = parse(line);
            kinds.put(series, kind);
        }
        Long count = LineParts.wholeField(line, end, "count");
        Long timeNs = LineParts.timeNs(line);
        if (kind.outcome < 0 || count == null || count > COUNT_LIMIT || timeNs == null) {
            return null;
        }
        long atS = timeNs / Units.NS_PER_S;
        Long before = totals.computeIfAbsent(atS, second -> new HashMap<>()).put(series, count);
        long added = count - (before == null ? 0 : before);
        return added == 0 ? null : new Addition(atS, kind.series, kind.outcome, kind.error, added);
    }

    /** What can no longer be corrected. */
    void forget(long beforeS) {
        totals.headMap(beforeS - CORRECTED_S).clear();
    }

    private LineKind parse(String line) {
        Point point;
        try {
            point = PointParser.parse(line);
        } catch (IllegalArgumentException error) {
            return NONE;
        }
        Map<String, String> tags = point.tags();
        Outcome ended = Outcome.of(tags.getOrDefault("outcome", ""));
        boolean unsent = FailureKind.GENERATOR.label().equals(tags.get("error"));
        int outcome = ended == null || unsent ? EndedCounts.NOWHERE : EndedCounts.place(ended);
        if (outcome < 0) {
            return NONE; // it takes no number from those that are counted
        }
        if (point.measurement().equals(Measurements.REQUESTS)) {
            AnswerSource who = new AnswerSource(
                    tags.getOrDefault("balancer", ""),
                    tags.getOrDefault("backend", ""),
                    tags.getOrDefault("answered_by", ""));
            return new LineKind(numbers.number(who), outcome, "");
        }
        boolean fresh = point.measurement().equals(Measurements.PROBES) && !"kept".equals(tags.get("stream"));
        return fresh ? new LineKind(null, outcome, tags.getOrDefault("error", "")) : NONE;
    }
}
