package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.streaming.StreamSettings.InfluxCredentials;
import io.github.switchover.jmeter.target.Target.InfluxSettings;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The address of a database: {@code http[s]://host:port[/prefix]?org=ORG&bucket=BUCKET} (InfluxDB 2 and 3), or {@code
 * ?db=NAME[&rp=RP]} (InfluxDB 1). The address never contains credentials.
 *
 * @param origin scheme, host and port
 * @param url the address in its normal form, without secrets; {@code .sent} files identify the database by this
 *     form
 * @param writeUrl the URL for posting points; times are in nanoseconds
 * @param old true for InfluxDB 1, which uses names and passwords instead of tokens
 */
public record InfluxAddress(String origin, String url, String writeUrl, boolean old) {

    private static final String EXAMPLE =
            "http://influx:8086?db=NAME (InfluxDB 1) or http://influx:8086?org=ORG&bucket=BUCKET (2 and 3)";
    private static final Pattern URL = Pattern.compile(
            "(?<scheme>https?)://(?<server>[^/?#]*)(?<prefix>[!-~&&[^?#]]*)(?:\\?(?<query>[^# \\p{Cntrl}]*))?"
                    + "(?<fragment>#.+)?#?",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern SERVER = Pattern.compile(
            "(?<host>\\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*]|[^:\\[\\]\\s\\p{Cntrl}]+)" + "(?::(?<port>[^:\\[\\]]*))?");
    private static final int MAX_PORT = 65535;
    private static final Set<String> CREDENTIALS = Set.of("u", "p", "user", "username", "password", "token");
    private static final Set<String> KNOWN = Set.of("org", "bucket", "db", "rp");

    /**
     * Parses an address from a user.
     *
     * @throws UsageException in one line, which repeats no part of an address that may contain a secret
     */
    public static InfluxAddress of(String text) {
        Matcher url = URL.matcher(text.strip());
        if (!url.matches()) {
            throw new UsageException("the database's address must be " + EXAMPLE);
        }
        String query = url.group("query") == null ? "" : url.group("query");
        if (url.group("server").indexOf('@') >= 0 || holdsCredentials(query)) {
            throw new UsageException("the database's address holds credentials: put them into "
                    + InfluxCredentials.TOKEN + ", or into " + InfluxCredentials.USER + " and "
                    + InfluxCredentials.PASSWORD);
        }
        Matcher server = SERVER.matcher(url.group("server"));
        if (!server.matches()) {
            throw new UsageException("the database's address must be " + EXAMPLE);
        }
        Map<String, String> place = place(query);
        if (place == null || url.group("fragment") != null) {
            throw new UsageException(
                    "the database's address must be " + EXAMPLE + ", with nothing else behind the question mark");
        }
        String scheme = url.group("scheme").toLowerCase(Locale.ROOT);
        String origin = scheme + "://" + server.group("host").toLowerCase(Locale.ROOT) + ":"
                + port(server.group("port"), scheme);
        return of(origin, url.group("prefix").replaceFirst("/+$", ""), place);
    }

    /**
     * Builds the address from {@code [influx]}. Its keys supply the values that are missing in the query of its URL.
     */
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

    private static int port(String text, String scheme) {
        if (text == null || text.isEmpty()) {
            return scheme.equals("https") ? 443 : 80;
        }
        int port = text.matches("0*[0-9]{1,5}") ? Integer.parseInt(text) : 0;
        if (port == 0 || port > MAX_PORT) {
            throw new UsageException("the database's address has no valid port: it must be " + EXAMPLE);
        }
        return port;
    }

    private static boolean holdsCredentials(String query) {
        return parts(query)
                .anyMatch(part ->
                        CREDENTIALS.contains(part.replaceFirst("=.*", "").toLowerCase(Locale.ROOT)));
    }

    /** Returns the keys and values of the query; null if a key is unknown, repeated or empty. */
    private static Map<String, String> place(String query) {
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
