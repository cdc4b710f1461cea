package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.ChildProcesses;
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
    static List<Scraper> of(Node node, ChildProcesses children) {
        List<Scraper> found = new ArrayList<>();
        if (node.haproxy() != null) {
            found.add(new HaproxyScraper(node.name(), new HaproxyReader(node.haproxy(), children)));
        }
        if (node.nginx() != null) {
            found.add(new NginxScraper(node.name(), node.nginx(), children));
        }
        if (node.processes() != null) {
            found.add(new NodeProcesses(node.name(), node.processes(), children));
        }
        return found;
    }
}
