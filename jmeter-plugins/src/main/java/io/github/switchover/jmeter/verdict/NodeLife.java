package io.github.switchover.jmeter.verdict;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.telemetry.BalancerKind;
import io.github.switchover.jmeter.telemetry.BalancerState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The states of one balancer in order of time, and the end of its last scrape, answered or not; 0: unknown. */
record NodeLife(String node, List<BalancerState> states, long askedUs) {

    /** The number of consecutive unanswered scrapes that show a silent balancer. One may be lost or late. */
    private static final int SILENT_SCRAPES = 3;

    private static final long SILENT_US = Units.US_PER_S;

    static boolean isScrape(Point point) {
        return BalancerKind.of(point) != null;
    }

    /** True if the point is from a scrape of a balancer's state, answered or not. */
    static boolean isAsking(Point point) {
        return point.measurement().equals(Measurements.SCRAPE) && BalancerKind.isStateSource(point.tag("source"));
    }

    /** Returns the scrape without the fields that only count traffic, to save memory. */
    static Point stateOnly(Point scrape) {
        Map<String, FieldValue> kept = new LinkedHashMap<>();
        for (String name : requireNonNull(BalancerKind.of(scrape)).traits().stateFields()) {
            if (scrape.fields().get(name) != null) {
                kept.put(name, scrape.fields().get(name));
            }
        }
        return new Point(scrape.measurement(), scrape.tags(), kept, scrape.timeNs());
    }

    static Map<String, NodeLife> of(List<Point> points) {
        Map<Scrape, List<Point>> rows = new LinkedHashMap<>();
        Map<String, Long> asked = new LinkedHashMap<>();
        for (Point point : points) {
            if (isAsking(point)) {
                asked.merge(point.tag("node"), endOfScrapeUs(point), Math::max);
            } else if (isScrape(point)) {
                rows.computeIfAbsent(new Scrape(point.tag("node"), point.timeNs()), scrape -> new ArrayList<>())
                        .add(point);
            }
        }
        Map<String, List<BalancerState>> states = new LinkedHashMap<>();
        rows.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> entry.getKey().timeNs))
                .forEach(entry -> {
                    List<BalancerState> known = states.computeIfAbsent(entry.getKey().node, node -> new ArrayList<>());
                    BalancerState earlier = known.isEmpty() ? null : known.get(known.size() - 1);
                    known.add(requireNonNull(BalancerKind.of(entry.getValue().get(0)))
                            .read(entry.getKey().timeNs / Units.NS_PER_US, entry.getValue(), earlier));
                });
        Map<String, NodeLife> lives = new LinkedHashMap<>();
        states.forEach((node, nodeStates) ->
                lives.put(node, new NodeLife(node, List.copyOf(nodeStates), asked.getOrDefault(node, 0L))));
        return lives;
    }

    private static long endOfScrapeUs(Point scrape) {
        double tookMs = scrape.fields().get("duration_ms") instanceof FieldValue.Decimal took ? took.value() : 0;
        return scrape.timeNs() / Units.NS_PER_US + (long) Math.rint(tookMs * Units.NS_PER_US);
    }

    private record Scrape(String node, long timeNs) {}

    /** The last state before a time. */
    @Nullable
    BalancerState lastBefore(long atUs) {
        BalancerState last = null;
        for (BalancerState state : states) {
            if (state.atUs() < atUs) {
                last = state;
            }
        }
        return last;
    }

    /** The states after the start of a period and before its end. */
    List<BalancerState> between(Span within) {
        return states.stream()
                .filter(state -> state.atUs() > within.fromUs() && state.atUs() < within.toUs())
                .toList();
    }

    /** True if no scrape was answered for several usual intervals, of the scrapes before {@code usualBeforeUs}. */
    boolean isSilentAt(long atUs, long usualBeforeUs) {
        BalancerState last = lastBefore(atUs);
        return last == null || askedUntil(atUs) - last.atUs() > silenceUs(usualBeforeUs);
    }

    /** True if the balancer was scraped shortly before that time. */
    boolean isAskedAt(long atUs, long usualBeforeUs) {
        return atUs - askedUntil(atUs) <= silenceUs(usualBeforeUs);
    }

    private long askedUntil(long atUs) {
        return askedUs == 0 ? atUs : Math.min(atUs, askedUs);
    }

    boolean isSilentWithin(Span within) {
        long[] times = LongStream.concat(
                        LongStream.concat(
                                LongStream.of(within.fromUs()),
                                between(within).stream().mapToLong(BalancerState::atUs)),
                        LongStream.of(askedUntil(within.toUs())))
                .toArray();
        double limitUs = silenceUs(within.fromUs());
        for (int i = 1; i < times.length; i++) {
            if (times[i] - times[i - 1] > limitUs) {
                return true;
            }
        }
        return false;
    }

    private double silenceUs(long beforeUs) {
        long[] times = states.stream()
                .mapToLong(BalancerState::atUs)
                .filter(atUs -> atUs < beforeUs)
                .toArray();
        if (times.length < 2) {
            return SILENT_US;
        }
        long[] steps = new long[times.length - 1];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = times[i + 1] - times[i];
        }
        Arrays.sort(steps);
        int middle = steps.length / 2;
        double median = steps.length % 2 == 1 ? steps[middle] : (steps[middle - 1] + steps[middle]) / 2.0;
        return Math.max(SILENT_US, SILENT_SCRAPES * median);
    }
}
