package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.streaming.StreamSettings.InfluxCredentials;
import io.github.switchover.jmeter.target.Target.InfluxSettings;
import io.github.switchover.jmeter.target.UrlParts;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The address of a database, without credentials: {@code http[s]://host:port[/prefix]?org=ORG&bucket=BUCKET} (InfluxDB
 * 2 and 3), or {@code ?db=NAME[&rp=RP]} (InfluxDB 1, {@code old}).
 *
 * <p>{@code url} is its normal form, which identifies the database in {@code .sent} files.
 */
public record InfluxAddress(String origin, String url, String writeUrl, boolean old) {

    private static final String EXAMPLE =
            "http://influx:8086?db=NAME (InfluxDB 1) or http://influx:8086?org=ORG&bucket=BUCKET (2 and 3)";
    private static final Pattern URL = Pattern.compile(
            "[^/?#]*//[^/?#]*(?<prefix>[!-~&&[^?#]]*)" + "(?:\\?(?<query>[^# \\p{Cntrl}]*))?(?<fragment>#.+)?#?");
    private static final Set<String> CREDENTIALS = Set.of("u", "p", "user", "username", "password", "token");
    private static final Set<String> KNOWN = Set.of("org", "bucket", "db", "rp");

    /** Parses an address. The message of a UsageException contains no part of the address that may be secret. */
    public static InfluxAddress of(String text) {
        String address = text.strip();
        UrlParts server = UrlParts.of(address);
        Matcher url = URL.matcher(address);
        if (!List.of("http", "https").contains(server.scheme()) || !url.matches()) {
            throw new UsageException("the database's address must be " + EXAMPLE);
        }
        String query = url.group("query") == null ? "" : url.group("query");
        if (server.user() != null || holdsCredentials(query)) {
            throw new UsageException("the database's address contains credentials: put them into "
                    + InfluxCredentials.TOKEN + ", or into " + InfluxCredentials.USER + " and "
                    + InfluxCredentials.PASSWORD);
        }
        if (server.host().isEmpty()) {
            throw new UsageException("the database's address must be " + EXAMPLE);
        }
        Map<String, String> place = place(query);
        if (place == null || url.group("fragment") != null) {
            throw new UsageException(
                    "the database's address must be " + EXAMPLE + ", with no other parameter after the question mark");
        }
        if (server.port() < 0) {
            throw new UsageException("the database's address has no valid port: it must be " + EXAMPLE);
        }
        String host = server.host().indexOf(':') < 0 ? server.host() : "[" + server.host() + "]";
        String origin = server.scheme() + "://" + host + ":" + server.portOrDefault();
        return of(origin, url.group("prefix").replaceFirst("/+$", ""), place);
    }

    /** Builds the address from {@code [influx]}, whose keys supply what the query of its URL does not have. */
    public static InfluxAddress of(InfluxSettings settings) {
        Map<String, String> place = new LinkedHashMap<>();
        place.put("org", settings.org());
        place.put("bucket", settings.bucket());
        place.put("db", settings.db());
        place.values().removeIf(value -> value == null || value.isEmpty());
        String added = encoded(place, place.keySet().stream());
        String separator = added.isEmpty() ? "" : settings.url().matches(".*\\?.+") ? "&" : "?";
        try {
            return of(settings.url() + separator + added);
        } catch (UsageException error) {
            throw new UsageException("[influx] of the target file: " + error.getMessage(), error);
        }
    }

    private static InfluxAddress of(String origin, String prefix, Map<String, String> place) {
        boolean old = place.containsKey("db");
        if (old == place.containsKey("bucket")
                || (place.containsKey("rp") && !old)
                || (place.containsKey("org") && old)) {
            throw new UsageException("the database's address must name either a db or a bucket: " + EXAMPLE);
        }
        String query = encoded(place, old ? Stream.of("db", "rp") : Stream.of("org", "bucket"));
        return new InfluxAddress(
                origin,
                origin + prefix + "?" + query,
                origin + prefix + (old ? "/write" : "/api/v2/write") + "?" + query + "&precision=ns",
                old);
    }

    private static boolean holdsCredentials(String query) {
        return parts(query)
                .anyMatch(part ->
                        CREDENTIALS.contains(part.replaceFirst("=.*", "").toLowerCase(Locale.ROOT)));
    }

    /** Returns the keys and values of the query; null if a key is unknown, repeated or empty. */
    private static @Nullable Map<String, String> place(String query) {
        Map<String, String> found = new LinkedHashMap<>();
        for (String part : parts(query).toList()) {
            int equals = part.indexOf('=');
            String name = equals < 0 ? part : part.substring(0, equals);
            String value = equals < 0 ? "" : decoded(part.substring(equals + 1));
            if (!KNOWN.contains(name) || value.isEmpty() || found.put(name, value) != null) {
                return null;
            }
        }
        return found;
    }

    private static Stream<String> parts(String query) {
        return Stream.of(query.split("&", -1)).filter(part -> !part.isEmpty());
    }

    private static String decoded(String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException error) {
            return "";
        }
    }

    /** Percent-encodes all characters except letters, digits and {@code _.-~}. */
    private static String encoded(Map<String, String> place, Stream<String> names) {
        return names.filter(place::containsKey)
                .map(name -> name + "="
                        + URLEncoder.encode(place.get(name), StandardCharsets.UTF_8)
                                .replace("+", "%20")
                                .replace("*", "%2A")
                                .replace("%7E", "~"))
                .collect(Collectors.joining("&"));
    }
}
