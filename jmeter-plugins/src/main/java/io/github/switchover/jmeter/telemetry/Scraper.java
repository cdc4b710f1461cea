package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.target.Node;
import java.util.ArrayList;
import java.util.List;

/** One scrape of one source, as points; the collector runs them on schedule. */
interface Scraper {

    String node();

    /** What is read, in a word. */
    String source();

    /** It is scraped once in so many intervals. */
    default int every() {
        return 1;
    }

    /**
     * The readings of now; one thread at a time.
     *
     * @throws SourceException if the source gives nothing usable
     */
    List<Reading> scrape(long sentNs);

    /** The scrapers for what the target file says of a node. */
    static List<Scraper> of(Node node) {
        List<Scraper> found = new ArrayList<>();
        for (BalancerKind kind : BalancerKind.ALL) {
            if (kind.source(node) != null) {
                found.add(kind.scraper(node.name(), kind.source(node)));
            }
        }
        if (node.sources().processes() != null) {
            found.add(new NodeProcesses(node.name(), node.sources().processes()));
        }
        return found;
    }
}
