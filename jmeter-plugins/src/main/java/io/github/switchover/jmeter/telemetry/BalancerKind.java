package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the state of one balancer product: whether the balancer is alive, its start time, its servers that are up, and
 * its counters. To support another product, add a class here and an entry in {@link #ALL}. Then scrapes, the backup
 * check, confirmation, restoration and the search for the master use the class.
 */
public interface BalancerKind {

    List<BalancerKind> ALL = List.of(new HaproxyKind(), new NginxKind());

    /**
     * The fixed properties of a product.
     *
     * @param title the usual name of the product
     * @param key the key of {@code [[node]]} with the address to query, which is also the source name in its scrapes
     * @param measurement of the points of a scrape
     * @param stateFields the fields of such a point that show the balancer's state; the other fields only count traffic
     */
    record BalancerTraits(
            String title, String key, String measurement, List<String> stateFields, boolean tellsServers) {}

    BalancerTraits traits();

    /** The source of this kind on a node. */
    @Nullable
    Source source(Node node);

    /**
     * Queries the balancer now.
     *
     * @throws SourceException if there is no usable answer
     */
    BalancerState look(Source source);

    /** Reads the state from the points of one scrape. {@code earlier} is the state of the scrape before. */
    BalancerState read(long atUs, List<Point> rows, @Nullable BalancerState earlier);

    Scraper scraper(String node, Source source);

    /** The kind of a node's balancer. */
    static @Nullable BalancerKind of(Node node) {
        return ALL.stream()
                .filter(kind -> kind.source(node) != null)
                .findFirst()
                .orElse(null);
    }

    /** The kind of balancer whose scrape made the point. */
    static @Nullable BalancerKind of(Point point) {
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
