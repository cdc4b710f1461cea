package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the state of one balancer product. Another product needs a class and an entry in {@link #ALL}. */
public interface BalancerKind {

    List<BalancerKind> ALL = List.of(new HaproxyKind(), new NginxKind());

    /** The fixed properties of a product: {@code key} names its source, {@code stateFields} show its state. */
    record BalancerTraits(
            String title, String key, String measurement, List<String> stateFields, boolean tellsServers) {}

    BalancerTraits traits();

    /** The source of this kind on a node. */
    @Nullable
    Source source(Node node);

    /** Queries the balancer now. Throws SourceException if there is no usable answer. */
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
