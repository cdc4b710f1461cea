package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Journal;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.ServerStatus;
import io.github.switchover.jmeter.core.Span;
import io.github.switchover.jmeter.core.Units;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;

/**
 * What the scrapes of one balancer show of its life: which process answered when, and when none did.
 *
 * @param states in order of time
 * @param askedUs when its last scrape was over, answered or not; 0: not known. Without scrapes its silence says nothing
 */
record NodeLife(String node, List<ScrapedState> states, long askedUs) {

    /** So many scrapes in a row without an answer are a silence: one may be lost, or late on a busy machine. */
    private static final int SILENT_SCRAPES = 3;

    /** And at least this long. */
    private static final long SILENT_US = 1_000_000;

    /**
     * What one scrape showed.
     *
     * @param epoch which process answered; another epoch is another process
     * @param frontends status by name
     * @param servers status by {@code proxy/server}
     * @param accepted Nginx's count of connections
     */
    record ScrapedState(
            long atUs, String epoch, Map<String, String> frontends, Map<String, String> servers, long accepted) {

        Set<String> serversUp() {
            Set<String> up = new TreeSet<>();
            servers.forEach((name, status) -> {
                if (ServerStatus.isUp(status)) {
                    up.add(name);
                }
            });
            return up;
        }
    }

    static boolean isScrape(Point point) {
        return point.measurement().equals(Measurements.HAPROXY)
                || point.measurement().equals(Measurements.NGINX);
    }

    /** Whether a balancer was asked for its state; it need not have answered. */
    static boolean isAsking(Point point) {
        return point.measurement().equals(Measurements.SCRAPE)
                && Journal.STATE_SOURCES.contains(point.tags().getOrDefault("source", ""));
    }

    /** A scrape without the fields that only count traffic, so that many fit into memory. */
    static Point stateOnly(Point scrape) {
        Map<String, FieldValue> kept = new LinkedHashMap<>();
        for (String name : List.of("status", "epoch", "accepts")) {
            if (scrape.fields().get(name) != null) {
                kept.put(name, scrape.fields().get(name));
            }
        }
        return new Point(scrape.measurement(), scrape.tags(), kept, scrape.timeNs());
    }

    /** By node: of HAProxy by its statistics, of Nginx by its status page. */
    static Map<String, NodeLife> of(List<Point> points) {
        Map<Scrape, List<Point>> rows = new LinkedHashMap<>();
        Map<String, Long> asked = new LinkedHashMap<>();
        for (Point point : points) {
            if (isAsking(point)) {
                asked.merge(point.tags().getOrDefault("node", ""), endOfScrapeUs(point), Math::max);
            } else if (isScrape(point)) {
                rows.computeIfAbsent(
                                new Scrape(point.tags().getOrDefault("node", ""), point.timeNs()),
                                scrape -> new ArrayList<>())
                        .add(point);
            }
        }
        Map<String, List<ScrapedState>> states = new LinkedHashMap<>();
        rows.entrySet().stream()
                .sorted(Comparator.comparingLong(entry -> entry.getKey().timeNs))
                .forEach(entry -> {
                    List<ScrapedState> known = states.computeIfAbsent(entry.getKey().node, node -> new ArrayList<>());
                    ScrapedState earlier = known.isEmpty() ? null : known.get(known.size() - 1);
                    known.add(state(entry.getKey().timeNs / Units.NS_PER_US, entry.getValue(), earlier));
                });
        Map<String, NodeLife> lives = new LinkedHashMap<>();
        states.forEach(
                (node, found) -> lives.put(node, new NodeLife(node, List.copyOf(found), asked.getOrDefault(node, 0L))));
        return lives;
    }

    private static long endOfScrapeUs(Point scrape) {
        double tookMs = scrape.fields().get("duration_ms") instanceof FieldValue.Decimal took ? took.value() : 0;
        return scrape.timeNs() / Units.NS_PER_US + Math.round(tookMs * Units.NS_PER_US);
    }

    private record Scrape(String node, long timeNs) {}

    /** Null if there was none. */
    ScrapedState lastBefore(long atUs) {
        ScrapedState last = null;
        for (ScrapedState state : states) {
            if (state.atUs < atUs) {
                last = state;
            }
        }
        return last;
    }

    /** After the begin of a stretch and before its end. */
    List<ScrapedState> between(Span within) {
        return states.stream()
                .filter(state -> state.atUs > within.fromUs() && state.atUs < within.toUs())
                .toList();
    }

    /** No scrape was answered for a while. How often it was asked is told by what came before {@code usualBeforeUs}. */
    boolean isSilentAt(long atUs, long usualBeforeUs) {
        ScrapedState last = lastBefore(atUs);
        return last == null || askedUntil(atUs) - last.atUs > silenceUs(usualBeforeUs);
    }

    /** It was scraped shortly before that time: a journal that could not be written may end earlier. */
    boolean isAskedAt(long atUs, long usualBeforeUs) {
        return atUs - askedUntil(atUs) <= silenceUs(usualBeforeUs);
    }

    private long askedUntil(long atUs) {
        return askedUs == 0 ? atUs : Math.min(atUs, askedUs);
    }

    /** For a while no scrape was answered. */
    boolean isSilentWithin(Span within) {
        long[] times = LongStream.concat(
                        LongStream.concat(
                                LongStream.of(within.fromUs()),
                                between(within).stream().mapToLong(ScrapedState::atUs)),
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
                .mapToLong(ScrapedState::atUs)
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

    private static ScrapedState state(long atUs, List<Point> rows, ScrapedState earlier) {
        if (rows.get(0).measurement().equals(Measurements.NGINX)) {
            return nginx(atUs, rows.get(0), earlier);
        }
        Map<String, String> frontends = new LinkedHashMap<>();
        Map<String, String> servers = new LinkedHashMap<>();
        String epoch = "";
        for (Point row : rows) {
            String proxy = row.tags().getOrDefault("proxy", "");
            String type = row.tags().getOrDefault("type", "");
            if (type.equals("frontend")) {
                frontends.put(proxy, text(row, "status"));
            } else if (type.equals("server")) {
                servers.put(proxy + "/" + row.tags().getOrDefault("server", ""), text(row, "status"));
            }
            if (epoch.isEmpty()) {
                epoch = text(row, "epoch");
            }
        }
        return new ScrapedState(atUs, epoch, frontends, servers, 0);
    }

    /** Nginx names no process: another one answers where its count of connections has fallen. */
    private static ScrapedState nginx(long atUs, Point row, ScrapedState earlier) {
        long accepted = row.fields().get("accepts") instanceof FieldValue.Whole whole ? whole.value() : 0;
        long epoch = earlier == null ? 1 : Long.parseLong(earlier.epoch) + (accepted < earlier.accepted ? 1 : 0);
        return new ScrapedState(atUs, Long.toString(epoch), Map.of(), Map.of(), accepted);
    }

    private static String text(Point row, String field) {
        return row.fields().get(field) instanceof FieldValue.Text text ? text.value() : "";
    }
}
