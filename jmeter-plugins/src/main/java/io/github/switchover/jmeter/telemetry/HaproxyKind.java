package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot.StatRow;
import io.github.switchover.jmeter.telemetry.Scraper.Reading;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** HAProxy, by the statistics of its socket or its page. */
final class HaproxyKind implements BalancerKind {

    static final String KEY = "haproxy";

    private static final String WEIGHT = "weight";
    private static final BalancerTraits TRAITS =
            new BalancerTraits("HAProxy", KEY, Measurements.HAPROXY, List.of("status", "generation", WEIGHT), true);

    @Override
    public BalancerTraits traits() {
        return TRAITS;
    }

    @Override
    public @Nullable Source source(Node node) {
        return node.sources().haproxy();
    }

    @Override
    public BalancerState look(Source source) {
        HaproxySnapshot snapshot = new HaproxyReader(source).read(Units.nowS(), Transport.TIMEOUT_S);
        return state(0, snapshot.generation(), snapshot.rows());
    }

    @Override
    public BalancerState read(long atUs, List<Point> rows, @Nullable BalancerState earlier) {
        String generation = rows.stream()
                .map(row -> row.text("generation"))
                .filter(named -> !named.isEmpty())
                .findFirst()
                .orElse("");
        return state(atUs, generation, rows.stream().map(HaproxyKind::row).toList());
    }

    @Override
    public Scraper scraper(String node, Source source) {
        HaproxyReader reader = new HaproxyReader(source);
        return new Scraper(
                node, KEY, sentNs -> readings(node, reader.read(Units.secondsOfNs(sentNs), Transport.TIMEOUT_S)));
    }

    /** Returns OPEN for FULL, which HAProxy up to 2.2 reports for an open frontend at its {@code maxconn}. */
    private static String frontendStatus(String status) {
        return status.equals("FULL") ? "OPEN" : status;
    }

    private static StatRow row(Point point) {
        return new StatRow(
                point.tag("proxy"),
                point.tag("server"),
                point.tag("type"),
                point.text("status"),
                point.fields().get(WEIGHT) instanceof FieldValue.Whole weight
                        ? Map.of(WEIGHT, weight.value())
                        : Map.of());
    }

    private static BalancerState state(long atUs, String generation, List<StatRow> rows) {
        Map<String, String> frontends = new LinkedHashMap<>();
        Map<String, String> servers = new LinkedHashMap<>();
        Map<String, Long> weights = new LinkedHashMap<>();
        for (StatRow row : rows) {
            if (row.type().equals("frontend")) {
                frontends.put(row.proxy(), frontendStatus(row.status()));
            } else if (row.type().equals("server")) {
                String name = row.proxy() + "/" + row.server();
                servers.put(name, row.status());
                if (row.numbers().get(WEIGHT) != null) {
                    weights.put(name, row.numbers().get(WEIGHT));
                }
            }
        }
        return new BalancerState(atUs, generation, frontends, servers, weights, 0);
    }

    static List<Reading> readings(String node, HaproxySnapshot snapshot) {
        List<Reading> readings = new ArrayList<>();
        for (StatRow row : snapshot.rows()) {
            Map<String, FieldValue> fields = FieldValue.ofEach(row.numbers());
            // Also a tag: InfluxDB 1 and 2 confuse a tag and a field of one name, InfluxDB 3 rejects them.
            fields.remove("type");
            fields.put("status", FieldValue.of(row.status()));
            fields.put("generation", FieldValue.of(snapshot.generation()));
            Map<String, String> tags =
                    Map.of("node", node, "proxy", row.proxy(), "server", row.server(), "type", row.type());
            readings.add(new Reading(Measurements.HAPROXY, tags, fields));
        }
        if (!snapshot.info().isEmpty()) {
            readings.add(
                    new Reading(Measurements.HAPROXY_INFO, Map.of("node", node), FieldValue.ofEach(snapshot.info())));
        }
        return readings;
    }
}
