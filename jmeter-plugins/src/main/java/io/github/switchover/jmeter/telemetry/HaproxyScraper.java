package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.FieldValue;
import io.github.switchover.jmeter.core.Measurements;
import io.github.switchover.jmeter.core.Units;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

record HaproxyScraper(String node, HaproxyReader reader) implements Scraper {

    @Override
    public String source() {
        return HaproxyKind.KEY;
    }

    @Override
    public List<Reading> scrape(long sentNs) {
        return readings(node, reader.read(Units.secondsOfNs(sentNs), Transport.TIMEOUT_S));
    }

    static List<Reading> readings(String node, HaproxySnapshot snapshot) {
        List<Reading> readings = new ArrayList<>();
        for (StatRow row : snapshot.rows()) {
            Map<String, FieldValue> fields = FieldValue.ofEach(row.numbers());
            fields.remove("type"); // A tag: InfluxDB 1 and 2 take the one for the other in queries, 3 refuses both.
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
