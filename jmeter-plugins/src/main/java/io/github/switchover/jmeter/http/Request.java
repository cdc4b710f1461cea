package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Endpoint.StatusRanges;
import io.github.switchover.jmeter.target.UrlParts;
import java.net.IDN;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request with its destination and expected answer. It may be sent many times, by any thread. */
@SuppressWarnings("ArrayRecordComponent") // Requests are not compared.
public record Request(
        Destination destination,
        byte[] bytes,
        Timeouts timeouts,
        StatusRanges expect,
        boolean keepsConnection,
        int keptBody) {

    private static final int LATIN_1 = 255;

    /** The parts of a URL for a request. The Python prober uses the same parts. */
    private static final Pattern URL = Pattern.compile(
            "(?:https?)://(?<server>[^/?#]*)(?<path>[^?#]*)(?:\\?(?<query>[^#]*))?(?:#.*)?",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private static final String SAFE = "_.-%/:=&?~#+!$,;'@()*[]";

    /** Returns a GET request on a new connection, of whose answer no body is stored. */
    public static Request get(Endpoint endpoint, Destination destination, Timeouts timeouts, String userAgent) {
        return of(new byte[0], endpoint, destination, timeouts, userAgent, false, 0);
    }

    /**
     * Returns a GET request; with a body, a POST request.
     *
     * @param keep use a kept connection if there is one, and keep the connection
     * @param keptBody the bytes of the answer's body to store
     */
    public static Request of(
            byte[] body,
            Endpoint endpoint,
            Destination destination,
            Timeouts timeouts,
            String userAgent,
            boolean keep,
            int keptBody) {
        byte[] head = text(body.length, endpoint, userAgent, keep).getBytes(StandardCharsets.ISO_8859_1);
        byte[] bytes = Arrays.copyOf(head, head.length + body.length);
        System.arraycopy(body, 0, bytes, head.length, body.length);
        return new Request(destination, bytes, timeouts, endpoint.expect(), keep, keptBody);
    }

    boolean expects(int status) {
        return expect.ranges().stream().anyMatch(range -> range.low() <= status && status <= range.high());
    }

    /** {@code length}: the length of the body. */
    private static String text(int length, Endpoint endpoint, String userAgent, boolean keep) {
        checkUrl(endpoint.url());
        String host = endpoint.sent().hostHeader() == null
                        || endpoint.sent().hostHeader().isEmpty()
                ? authority(endpoint.host(), endpoint.port(), endpoint.isTls())
                : endpoint.sent().hostHeader();
        Map<String, Map.Entry<String, String>> headers = new LinkedHashMap<>();
        put(headers, "Host", host);
        put(headers, "User-Agent", userAgent);
        put(headers, "Accept", "*/*");
        endpoint.headers().forEach((name, value) -> put(headers, name, value));
        put(headers, "Connection", keep ? "keep-alive" : "close");
        if (length > 0) {
            put(headers, "Content-Length", Integer.toString(length));
        }
        StringBuilder text = new StringBuilder(length > 0 ? "POST " : "GET ")
                .append(target(endpoint.url()))
                .append(" HTTP/1.1\r\n");
        headers.values()
                .forEach(header -> text.append(header.getKey())
                        .append(": ")
                        .append(header.getValue())
                        .append("\r\n"));
        return text.append("\r\n").toString();
    }

    /** Sets a header, and replaces a header of the same name. Upper and lower case are equal. */
    private static void put(Map<String, Map.Entry<String, String>> headers, String name, String value) {
        (name + value).chars().forEach(c -> {
            if (c > LATIN_1) {
                throw new UsageException("a request header contains " + ReadableText.quoted(Character.toString(c))
                        + ", which HTTP does not allow");
            }
            if (c == '\r' || c == '\n' || c == 0) {
                throw new UsageException("the request header " + ReadableText.quoted(name) + " holds a line break");
            }
        });
        headers.put(name.toLowerCase(Locale.ROOT), Map.entry(name, value));
    }

    /** Throws UsageException if this URL cannot be requested. */
    private static void checkUrl(String url) {
        if (url.chars().anyMatch(c -> c <= 32 || c == 127)) {
            throw new UsageException(ReadableText.quoted(PublicText.text(url))
                    + " is not a URL to probe: it contains a blank or a control character");
        }
        UrlParts parts = UrlParts.of(url);
        if (parts.user() != null) {
            throw new UsageException(
                    "the URL contains a user name: send it as a header instead, Authorization = \"env:NAME\"");
        }
        if (!URL.matcher(url).matches() || parts.host().isEmpty() || parts.port() < 0) {
            throw new UsageException(ReadableText.quoted(PublicText.text(url))
                    + " is not a URL to probe: write http://host:port/path or https://…");
        }
    }

    /** Returns path and query, percent-encoded if necessary. */
    private static String target(String url) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new IllegalArgumentException("unchecked URL");
        }
        String path = parts.group("path").isEmpty() ? "/" : parts.group("path");
        String query = parts.group("query");
        return quote(path) + (query == null || query.isEmpty() ? "" : "?" + quote(query));
    }

    /** Returns host and port for the Host header: no default port, IPv6 in brackets, names in ASCII. */
    private static String authority(String host, int port, boolean tls) {
        String name = host;
        if (host.indexOf(':') >= 0) {
            int zone = host.indexOf('%');
            name = "[" + (zone < 0 ? host : host.substring(0, zone)) + "]";
        } else if (host.chars().anyMatch(c -> c > 127)) {
            try {
                name = IDN.toASCII(host);
            } catch (IllegalArgumentException error) {
                throw new UsageException(ReadableText.quoted(host) + " is not a host name", error);
            }
        }
        return port == (tls ? 443 : 80) ? name : name + ":" + port;
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length());
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c < 128 && (Character.isLetterOrDigit(c) || SAFE.indexOf(c) >= 0);
            quoted.append(plain ? String.valueOf(c) : String.format(Locale.ROOT, "%%%02X", (int) c));
        }
        return quoted.toString();
    }
}
