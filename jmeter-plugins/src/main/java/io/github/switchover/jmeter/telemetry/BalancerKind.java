package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.util.List;

/**
 * One way to ask a balancer: is it alive, since when, what is up, how much has it counted? A balancer of another make
 * needs a class here and a place in {@link #ALL}: the scrapes, the last-one rule, effect, restoration and the search for the
 * master ask it then.
 */
public interface BalancerKind {

    List<BalancerKind> ALL = List.of(new HaproxyKind(), new NginxKind());

    /**
     * What does not change of it.
     *
     * @param title as people call the balancer
     * @param key of {@code [[node]]} that says where to ask, and the source that its scrapes name
     * @param measurement of the points of a scrape
     * @param stateFields the fields of such a point that tell its state; the others only count traffic
     */
    record BalancerTraits(
            String title, String key, String measurement, List<String> stateFields, boolean tellsServers) {}

    BalancerTraits traits();

    /** Null where the target file does not say. */
    Source source(Node node);

    /**
     * Asks it now.
     *
     * @throws SourceException where it gives no usable answer
     */
    BalancerState look(Source source);

    /** From the points of one scrape; {@code earlier}: what the scrape before it showed, null for the first. */
    BalancerState read(long atUs, List<Point> rows, BalancerState earlier);

    Scraper scraper(String node, Source source);

    /** How a node's balancer is asked; null where its target file does not say. */
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

    /** Whether the scrapes of a source show which process of a balancer answers. */
    static boolean isStateSource(String source) {
        return ALL.stream().anyMatch(kind -> kind.traits().key().equals(source));
    }
}
