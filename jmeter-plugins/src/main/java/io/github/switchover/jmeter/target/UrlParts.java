package io.github.switchover.jmeter.target;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.text.Normalizer;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The server of an absolute URL. Accepts underscores in names, which {@code java.net.URI} refuses.
 *
 * <p>Scheme and host are in lower case, and empty if missing or invalid. The port is 0 if missing, and -1 if invalid.
 */
public record UrlParts(String scheme, @Nullable String user, String host, int port) {

    private static final int MAX_PORT = 65535;
    private static final Pattern URL =
            Pattern.compile("(?:(?<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?://(?<server>[^/?#]*))?.*", Pattern.DOTALL);

    /** The parts of an authority (RFC 3986, section 3.2). Only an IPv6 address is in brackets. */
    private static final Pattern SERVER = Pattern.compile(
            "(?:(?<user>[^\\[\\]]*)@)?(?:\\[(?<six>[^\\[\\]@]*)]|(?<name>[^:\\[\\]@]*))(?::(?<port>[^\\[\\]@]*))?");

    private static final String OCTET = "(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
    private static final String FOUR = OCTET + "(?:\\." + OCTET + "){3}";

    /** The form of an address. Java checks the remaining rules of an IPv6 address. */
    private static final Pattern ADDRESS =
            Pattern.compile(FOUR + "|(?:[0-9A-Fa-f]{0,4}:){2,8}(?:[0-9A-Fa-f]{0,4}|" + FOUR + ")");

    private static final UrlParts NONE = new UrlParts("", null, "", 0);

    public static UrlParts of(String url) {
        Matcher matcher = URL.matcher(url);
        boolean broken = url.chars().anyMatch(c -> c <= ' ' || c == 0x7f);
        if (broken || !matcher.matches() || matcher.group("server") == null) {
            return NONE;
        }
        String scheme = lower(matcher.group("scheme"));
        Matcher server = SERVER.matcher(matcher.group("server"));
        if (!server.matches() || isAnother(matcher.group("server")) || !isSix(server.group("six"))) {
            return new UrlParts(scheme, null, "", 0);
        }
        String user = server.group("user");
        if (user != null && user.indexOf(':') >= 0) {
            user = user.substring(0, user.indexOf(':'));
        }
        return new UrlParts(scheme, user, hostOf(server), portOf(server.group("port")));
    }

    /** Returns the host in lower case. The zone name of an IPv6 address keeps its case. */
    private static String hostOf(Matcher server) {
        if (server.group("six") == null) {
            return lower(server.group("name"));
        }
        String[] parts = server.group("six").split("(?=%)", 2);
        return parts.length == 1 ? lower(parts[0]) : lower(parts[0]) + parts[1];
    }

    /** Returns true for null, and for an IPv6 address with or without a zone name. */
    private static boolean isSix(@Nullable String text) {
        if (text == null) {
            return true;
        }
        int zone = text.indexOf('%');
        boolean zoned = zone < 0 || (zone < text.length() - 1 && text.indexOf('%', zone + 1) < 0);
        String address = zone < 0 ? text : text.substring(0, zone);
        return zoned && address.indexOf(':') >= 0 && parseAddress(address) != null;
    }

    /** Returns true if Unicode normalization makes a separator of a letter: the name would mean a different server. */
    private static boolean isAnother(String server) {
        String normal = Normalizer.normalize(server.replaceAll("[@:]", ""), Normalizer.Form.NFKC);
        return normal.chars().anyMatch(c -> "/?#@:".indexOf(c) >= 0);
    }

    private static int portOf(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return 0;
        }
        int port = text.matches("0*[0-9]{1,5}") ? Integer.parseInt(text) : 0;
        return port == 0 || port > MAX_PORT ? -1 : port;
    }

    /** Returns the port, or the default port of the scheme http or https. */
    public int portOrDefault() {
        return port > 0 ? port : scheme.equals("https") ? 443 : 80;
    }

    private static String lower(@Nullable String text) {
        return text == null ? "" : text.toLowerCase(Locale.ROOT);
    }

    /** Returns an IP address in its standard form (RFC 4291, section 2.2) without a DNS lookup; null for a name. */
    public static @Nullable InetAddress parseAddress(String text) {
        if (!ADDRESS.matcher(text).matches()) {
            return null;
        }
        try {
            return InetAddress.getAllByName(text)[0];
        } catch (UnknownHostException wrong) {
            return null;
        }
    }
}
