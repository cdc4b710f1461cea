package io.github.switchover.jmeter.core;

import io.github.switchover.jmeter.core.Identity.AnsweredBy;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads identities from response headers with the {@link BoundedNames} of a run. Thread-safe.
 *
 * <p>HAProxy adds {@code X-Backend} only to the answer of a server, and {@code X-Balancer} also to its own errors.
 * Nginx lists in {@code X-Backend} every server that it tried, separated by {@code ", "} or, after an internal
 * redirect, by {@code " : "}. The last server in the list answered. The header time of a server that sent no header is
 * {@code -}. If no server was available, Nginx writes the name of the upstream group.
 */
public final class IdentityReader {

    /** The maximum number of characters of a header. The last characters are read, because the last server answered. */
    static final int HEADER_LIMIT = 4096;

    static final int CACHE_LIMIT = 1024;

    private static final Pattern SEPARATOR = Pattern.compile(",| : ");

    private final String backendHeader;
    private final String balancerHeader;
    private final String timeHeader;
    private final Map<String, String> aliases;
    private final BoundedNames backends = new BoundedNames(BoundedNames.NAMES_LIMIT);
    private final BoundedNames balancers = new BoundedNames(BoundedNames.NAMES_LIMIT);
    private final BoundedCache<Raw, Identity> cache = new BoundedCache<>(CACHE_LIMIT, this::derive);

    public IdentityReader(IdentitySettings settings) {
        backendHeader = settings.backendHeader().toLowerCase(Locale.ROOT);
        balancerHeader = settings.balancerHeader().toLowerCase(Locale.ROOT);
        timeHeader = settings.upstreamTimeHeader().toLowerCase(Locale.ROOT);
        aliases = settings.aliases();
    }

    /** Returns a warning if a name was replaced with {@code other}. */
    public @Nullable String warning() {
        boolean overflowed = backends.overflowed() || balancers.overflowed();
        return overflowed ? "more than 256 names of backends or balancers: the rest are recorded as other" : null;
    }

    /** Returns the identity that the headers of one answer contain; the headers are in the order of the answer. */
    public Identity identify(Iterable<Map.Entry<String, String>> headers) {
        String backend = "";
        String balancer = "";
        String time = "";
        for (Map.Entry<String, String> header : headers) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (name.isEmpty()) {
                continue;
            }
            if (name.equals(backendHeader)) {
                backend = join(backend, header.getValue());
            } else if (name.equals(balancerHeader)) {
                balancer = join(balancer, header.getValue());
            } else if (name.equals(timeHeader)) {
                time = join(time, header.getValue());
            }
        }
        return cache.get(new Raw(backend, balancer, UpstreamTime.of(time)));
    }

    private Identity derive(Raw raw) {
        List<String> balancerEntries = entries(raw.balancer);
        String balancer = balancerEntries.isEmpty() ? "" : balancers.admit(alias(last(balancerEntries)));
        List<String> backendEntries = entries(raw.backend);
        if (backendEntries.isEmpty()) {
            return new Identity("", balancer, balancer.isEmpty() ? AnsweredBy.UNKNOWN : AnsweredBy.BALANCER);
        }
        if (raw.time == UpstreamTime.NO_HEADER || isNoServer(backendEntries, raw.time)) {
            return new Identity("", balancer, AnsweredBy.BALANCER);
        }
        return new Identity(backends.admit(alias(last(backendEntries))), balancer, AnsweredBy.BACKEND);
    }

    /** Returns true for HAProxy's {@code <NOSRV>}, and for the name of an Nginx upstream group, which has no port. */
    private boolean isNoServer(List<String> entries, UpstreamTime time) {
        String last = last(entries);
        if (aliases.containsKey(last)) {
            return false;
        }
        if (last.startsWith("<") && last.endsWith(">")) {
            return true;
        }
        boolean listedByNginx =
                time != UpstreamTime.ABSENT || entries.stream().anyMatch(entry -> entry.indexOf(':') >= 0);
        return last.indexOf(':') < 0 && listedByNginx;
    }

    private String alias(String entry) {
        return aliases.getOrDefault(entry, entry);
    }

    /** Joins the values of a repeated header to one list, and keeps the last characters. */
    private static String join(String before, String value) {
        String text = tail(value);
        return before.isEmpty() ? text : tail(before + ", " + text);
    }

    private static String tail(String text) {
        int length = text.codePointCount(0, text.length());
        return length <= HEADER_LIMIT ? text : text.substring(text.offsetByCodePoints(0, length - HEADER_LIMIT));
    }

    /** Returns the entries of a list that name a server. */
    private static List<String> entries(String value) {
        return SEPARATOR
                .splitAsStream(value)
                .map(BoundedNames::clean)
                .filter(entry -> !entry.isEmpty() && !entry.equals("-"))
                .toList();
    }

    private static String last(List<String> entries) {
        return entries.get(entries.size() - 1);
    }

    /** The header values that determine the identity of an answer. */
    private record Raw(String backend, String balancer, UpstreamTime time) {}

    /** The meaning of the last entry of Nginx's {@code $upstream_header_time}. */
    private enum UpstreamTime {
        ABSENT,
        NO_HEADER,
        ANSWERED;

        static UpstreamTime of(String value) {
            String text = value.strip();
            return text.isEmpty() ? ABSENT : text.endsWith("-") ? NO_HEADER : ANSWERED;
        }
    }

    /** The headers that identify the server that answered (an empty name is not read), and names for addresses. */
    public record IdentitySettings(
            String backendHeader,
            String balancerHeader,
            String upstreamTimeHeader,
            @Nullable String stickyCookie,
            Map<String, String> aliases) {

        public static final IdentitySettings DEFAULT =
                new IdentitySettings("X-Backend", "X-Balancer", "X-Upstream-Time", null, Map.of());
    }
}
