package io.github.switchover.jmeter.telemetry;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Point;
import io.github.switchover.jmeter.core.Point.FieldValue;
import io.github.switchover.jmeter.core.Point.Measurements;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.target.Node;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.telemetry.Scraper.Reading;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Nginx, by its status page. If its count of connections has fallen, another process answers. */
public final class NginxKind implements BalancerKind {

    /** The names of the numbers, in the order of the page. */
    private static final List<String> NAMES =
            List.of("active", "accepts", "handled", "requests", "reading", "writing", "waiting");

    private static final int LIMIT_BYTES = 64 * 1024;
    private static final String N = "([0-9]{1,18})";

    /** Tengine's eighth number (request_time) is ignored. */
    private static final Pattern PAGE = Pattern.compile("\\s*Active connections:\\s*" + N
            + "\\s+server accepts handled requests[^\n]*\n\\s*" + N + "\\s+" + N + "\\s+" + N
            + "[^\n]*\n\\s*Reading:\\s*" + N + "\\s+Writing:\\s*" + N + "\\s+Waiting:\\s*" + N + "[ \r]*\n\\s*");

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
        return state(0, "", requireNonNull(read(source, Transport.TIMEOUT_S).get("accepts")));
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
        return new Scraper(node, KEY, sentNs -> {
            Map<String, FieldValue> fields = FieldValue.ofEach(read(source, Transport.TIMEOUT_S));
            return List.of(new Reading(Measurements.NGINX, Map.of("node", node), fields));
        });
    }

    private static BalancerState state(long atUs, String generation, long accepted) {
        return new BalancerState(atUs, generation, Map.of(), Map.of(), Map.of(), accepted);
    }

    /**
     * Reads the seven numbers of {@code stub_status}, from a page (which adds one request) or a command.
     *
     * @throws SourceException if the answer is not usable
     */
    public static Map<String, Long> read(Source source, double timeoutS) {
        byte[] page = Transport.fetch(source, null, timeoutS, LIMIT_BYTES);
        try {
            return parse(page);
        } catch (SourceException error) {
            throw new SourceException(source + " " + error.getMessage(), error);
        }
    }

    /** Parses the seven numbers of the page, which must end with a newline. */
    static Map<String, Long> parse(byte[] page) {
        Matcher match = PAGE.matcher(new String(page, StandardCharsets.UTF_8));
        if (!match.matches()) {
            throw new SourceException("answered something that is not a stub_status page");
        }
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (String name : NAMES) {
            numbers.put(name, Long.valueOf(match.group(numbers.size() + 1)));
        }
        return numbers;
    }
}
