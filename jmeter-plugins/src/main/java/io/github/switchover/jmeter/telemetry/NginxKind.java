package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Nginx, by its status page. If its count of connections has fallen, another process answers. */
final class NginxKind implements BalancerKind {

    private static final String KEY = "nginx";
    private static final BalancerTraits TRAITS =
            new BalancerTraits("Nginx", KEY, Measurements.NGINX, List.of("accepts"), false);

    @Override
    public BalancerTraits traits() {
        return TRAITS;
    }

    @Override
    public @Nullable Source source(Node node) {
        return node.sources().nginx();
    }

    @Override
    public BalancerState look(Source source) {
        return state(0, "", NginxSnapshot.read(source, Transport.TIMEOUT_S).accepts());
    }

    @Override
    public BalancerState read(long atUs, List<Point> rows, @Nullable BalancerState earlier) {
        long accepted = rows.get(0).fields().get("accepts") instanceof FieldValue.Whole whole ? whole.value() : 0;
        long generation =
                earlier == null ? 1 : Long.parseLong(earlier.generation()) + (accepted < earlier.accepted() ? 1 : 0);
        return state(atUs, Long.toString(generation), accepted);
    }

    @Override
    public Scraper scraper(String node, Source source) {
        return new NginxScraper(node, source);
    }

    private static BalancerState state(long atUs, String generation, long accepted) {
        return new BalancerState(atUs, generation, Map.of(), Map.of(), Map.of(), accepted);
    }

    private record NginxScraper(String node, Source page) implements Scraper {

        @Override
        public String source() {
            return KEY;
        }

        @Override
        public List<Reading> scrape(long sentNs) {
            NginxSnapshot status = NginxSnapshot.read(page, Transport.TIMEOUT_S);
            return List.of(new Reading(Measurements.NGINX, Map.of("node", node), FieldValue.ofEach(status.numbers())));
        }
    }
}
