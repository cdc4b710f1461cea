package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Scrapes one source and returns points. The collector runs the scrapers on schedule. */
interface Scraper {

    String node();

    String source();

    /** Reads the source now, on one thread at a time. Throws SourceException if the answer is not usable. */
    List<Reading> scrape(long sentNs);

    /** The scrapers for the sources of a node in the target file. */
    static List<Scraper> of(Node node) {
        List<Scraper> found = new ArrayList<>();
        for (BalancerKind kind : BalancerKind.ALL) {
            Source source = kind.source(node);
            if (source != null) {
                found.add(kind.scraper(node.name(), source));
            }
        }
        return found;
    }

    /** A point without its time. The fields keep the order of their map. */
    record Reading(String measurement, Map<String, String> tags, Map<String, FieldValue> fields) {}
}
