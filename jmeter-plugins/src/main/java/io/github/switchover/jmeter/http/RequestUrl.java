package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.target.UrlParts;
import java.net.IDN;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What of a URL stands in a request: path, query and authority, as Python's prober writes them. */
final class RequestUrl {

    private static final Pattern URL = Pattern.compile(
            "(?:https?)://(?<server>[^/?#]*)(?<path>[^?#]*)(?:\\?(?<query>[^#]*))?(?:#.*)?",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final String UNRESERVED = "_.-~";
    private static final String SAFE = "%/:=&?~#+!$,;'@()*[]";

    private RequestUrl() {}

    /** @throws UsageException if nothing can be asked for at this URL */
    static void check(String url) {
        if (url.chars().anyMatch(c -> c <= 32 || c == 127)) {
            throw new UsageException(ReadableText.quoted(PublicText.text(url))
                    + " is no URL to probe: it holds a blank or a control character");
        }
        UrlParts parts = UrlParts.of(url);
        if (parts.user() != null) {
            throw new UsageException(
                    "the URL holds a user name: send it as a header instead, " + "Authorization = \"env:NAME\"");
        }
        boolean hasNoPort = url.matches("(?i)https?://[^/?#]*:0+(?:[/?#].*)?");
        if (!URL.matcher(url).matches() || parts.host().isEmpty() || parts.port() < 0 || hasNoPort) {
            throw new UsageException(ReadableText.quoted(PublicText.text(url))
                    + " is no URL to probe: write http://host:port/path or https://…");
        }
    }

    /** Path and query, quoted where HTTP cannot carry them. */
    static String target(String url) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new IllegalArgumentException("unchecked URL");
        }
        String path = parts.group("path").isEmpty() ? "/" : parts.group("path");
        String query = parts.group("query");
        return quote(path) + (query == null || query.isEmpty() ? "" : "?" + quote(query));
    }

    /** Host and port as they stand in the Host header: no default port, IPv6 in brackets, names in ASCII. */
    static String authority(String host, int port, boolean tls) {
        String name = host;
        if (host.indexOf(':') >= 0) {
            int zone = host.indexOf('%');
            name = "[" + (zone < 0 ? host : host.substring(0, zone)) + "]";
        } else if (host.chars().anyMatch(c -> c > 127)) {
            try {
                name = IDN.toASCII(host);
            } catch (IllegalArgumentException error) {
                throw new UsageException(ReadableText.quoted(host) + " is no host name", error);
            }
        }
        return port == (tls ? 443 : 80) ? name : name + ":" + port;
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder(text.length());
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c < 128 && (Character.isLetterOrDigit(c) || (UNRESERVED + SAFE).indexOf(c) >= 0);
            if (plain) {
                quoted.append(c);
            } else {
                quoted.append(String.format(Locale.ROOT, "%%%02X", (int) c));
            }
        }
        return quoted.toString();
    }
}
