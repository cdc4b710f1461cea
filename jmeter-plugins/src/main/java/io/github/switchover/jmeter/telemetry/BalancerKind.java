package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.util.List;

/**
 * The interface to one make of balancer: is it alive, since when, which servers are up, how much has it counted? A
 * balancer of another make needs a class here and a place in {@link #ALL}. Then the scrapes, the last-one rule,
 * effect, restoration and the search for the master use it.
 */
public interface BalancerKind {

    List<BalancerKind> ALL = List.of(new HaproxyKind(), new NginxKind());

    /**
     * The fixed traits of a make of balancer.
     *
     * @param title the usual name of the balancer
     * @param key the key of {@code [[node]]} with the address to ask, and the source that its scrapes name
     * @param measurement of the points of a scrape
     * @param stateFields the fields of such a point with the balancer's state; the others only count traffic
     */
    record BalancerTraits(
            String title, String key, String measurement, List<String> stateFields, boolean tellsServers) {}

    BalancerTraits traits();

    /** The source of this kind on a node; null if the target file names no such source. */
    Source source(Node node);

    /**
     * Asks it now.
     *
     * @throws SourceException if it gives no usable answer
     */
    BalancerState look(Source source);

    /**
     * The state from the points of one scrape; {@code earlier}: the state of the scrape before, null for the first.
     */
    BalancerState read(long atUs, List<Point> rows, BalancerState earlier);

    Scraper scraper(String node, Source source);

    /** The kind of a node's balancer; null if its target file names no source for it. */
    static BalancerKind of(Node node) {
        return ALL.stream()
                .filter(kind -> kind.source(node) != null)
                .findFirst()
                .orElse(null);
    }

    /** Which made a point; null: it is of no scrape of a balancer. */
    static BalancerKind of(Point point) {
        return ALL.stream()
                .filter(kind -> kind.traits().measurement().equals(point.measurement()))
                .findFirst()
                .orElse(null);
    }

    /** True if the scrapes of a source show which process of a balancer answers. */
    static boolean isStateSource(String source) {
        return ALL.stream().anyMatch(kind -> kind.traits().key().equals(source));
    }
}
