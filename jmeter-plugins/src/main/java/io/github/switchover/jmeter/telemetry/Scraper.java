package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.target.Node;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** One scrape of one source, as points; the collector runs them on schedule. */
interface Scraper {

    String node();

    String source();

    /**
     * The readings of now; one thread at a time.
     *
     * @throws SourceException if the source gives nothing usable
     */
    List<Reading> scrape(long sentNs);

    /** The scrapers for the sources that the target file names for a node. */
    static List<Scraper> of(Node node) {
        List<Scraper> found = new ArrayList<>();
        for (BalancerKind kind : BalancerKind.ALL) {
            if (kind.source(node) != null) {
                found.add(kind.scraper(node.name(), kind.source(node)));
            }
        }
        return found;
    }

    /** A point that is still without its time. Fields keep the order of their map. */
    record Reading(String measurement, Map<String, String> tags, Map<String, FieldValue> fields) {}
}
