package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Point.FieldValue;
import java.util.List;
import java.util.Map;

/** Scrapes one source and returns points. The collector runs the scrapers on schedule. */
record Scraper(String node, String source, ScrapeAction scrape) {

    interface ScrapeAction {

        /** Reads the source now, on one thread at a time. Throws SourceException if the answer is not usable. */
        List<Reading> at(long sentNs);
    }

    /** A point without its time. The fields keep the order of their map. */
    record Reading(String measurement, Map<String, String> tags, Map<String, FieldValue> fields) {}
}
