package io.github.switchover.jmeter.target;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What an absolute URL says about its server. Names need not be such as {@code java.net.URI} takes: an underscore in a
 * container's name is common.
 *
 * @param scheme in lower case; empty if there is none
 * @param user null if there is none
 * @param host in lower case, without brackets; empty if there is none
 * @param port 0 if there is none, -1 if it is no port
 */
record UrlParts(String scheme, String user, String host, int port) {

    private static final int MAX_PORT = 65535;
    private static final Pattern URL =
            Pattern.compile("(?:(?<scheme>[A-Za-z][A-Za-z0-9+.-]*):)?(?://(?<server>[^/?#]*))?.*", Pattern.DOTALL);
    private static final Pattern SERVER = Pattern.compile(
            "(?:(?<user>.*)@)?(?:\\[(?<six>[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*)]|(?<name>[^:\\[\\]]*))" + "(?::(?<port>.*))?",
            Pattern.DOTALL);

    private static final UrlParts NONE = new UrlParts("", null, "", 0);

    static UrlParts of(String url) {
        Matcher matcher = URL.matcher(url.strip());
        if (!matcher.matches() || matcher.group("server") == null) {
            return NONE;
        }
        String scheme = lower(matcher.group("scheme"));
        Matcher server = SERVER.matcher(matcher.group("server"));
        if (!server.matches()) {
            return new UrlParts(scheme, null, "", 0);
        }
        String host = server.group("six") == null ? server.group("name") : server.group("six");
        String user = server.group("user");
        if (user != null && user.indexOf(':') >= 0) {
            user = user.substring(0, user.indexOf(':'));
        }
        return new UrlParts(scheme, user, lower(host), portOf(server.group("port")));
    }

    private static int portOf(String text) {
        if (text == null || text.isEmpty()) {
            return 0;
        }
        if (!text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            return -1;
        }
        String digits = text.replaceFirst("^0+(?=.)", "");
        return digits.length() > 5 || Integer.parseInt(digits) > MAX_PORT ? -1 : Integer.parseInt(digits);
    }

    private static String lower(String text) {
        return text == null ? "" : text.toLowerCase(Locale.ROOT);
    }
}
