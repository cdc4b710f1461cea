package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.telemetry.HaproxyReader;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot;
import io.github.switchover.jmeter.telemetry.HaproxySnapshot.StatRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * HAProxy's statistics as variables {@code haproxy_<proxy>_<server>_<figure>}, {@code haproxy_info_<name>} and {@code
 * haproxy_up}, the number of servers that receive requests.
 */
public class HaproxyStats extends StatisticsSampler {

    private static final long serialVersionUID = 1L;

    @Override
    @Nullable
    Source sourceOf(Node node) {
        return node.sources().haproxy();
    }

    @Override
    String key() {
        return "haproxy";
    }

    @Override
    Scraped scrape(Source from, double timeoutS) {
        HaproxySnapshot snapshot = new HaproxyReader(from).read(Units.nowS(), timeoutS);
        List<String> wanted = new Field("", text("proxies")).list();
        List<StatRow> rows = snapshot.rows().stream()
                .filter(row -> wanted.isEmpty() || wanted.contains(row.proxy()))
                .toList();
        return new Scraped(figures(rows, snapshot.info()), text(rows));
    }

    private static Map<String, String> figures(List<StatRow> rows, Map<String, Long> info) {
        Map<String, String> figures = new LinkedHashMap<>();
        for (StatRow row : rows) {
            String name = row.proxy() + "_" + row.server() + "_";
            figures.put(name + "status", row.status());
            row.numbers().forEach((column, value) -> figures.put(name + column, value.toString()));
        }
        info.forEach((column, value) -> figures.put("info_" + column, value.toString()));
        long up = rows.stream().filter(StatRow::isServerUp).count();
        figures.put("up", Long.toString(up));
        return figures;
    }

    /** Returns a text with one line per row: {@code web web1 server UP scur=0 …}. */
    private static String text(List<StatRow> rows) {
        return rows.stream()
                .map(row -> row.proxy() + " " + row.server() + " " + row.type() + " " + row.status() + " "
                        + row.numbers().entrySet().stream()
                                .map(figure -> figure.getKey() + "=" + figure.getValue())
                                .collect(Collectors.joining(" ")))
                .collect(Collectors.joining("\n", "", "\n"));
    }
}
