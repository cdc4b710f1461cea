package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.target.Endpoint.StatusRanges;
import io.github.switchover.jmeter.target.Target.NodeClaim;
import io.github.switchover.jmeter.target.TargetFile.Secrets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@code [target]}. */
final class EndpointReader {

    private static final Pattern STATUS_RANGE = Pattern.compile(" *([0-9]{3})(?:-([0-9]{3}))? *");

    private EndpointReader() {}

    static Endpoint read(TomlTable table, Secrets secrets) {
        String url = url(table);
        String ca = table.string("ca");
        StatusRanges expect = ranges(table, "expect");
        String hostHeader = table.string("host_header");
        String sni = table.string("sni");
        boolean insecure = table.flag("insecure", false);
        Double connectS = table.durationS("timeout_connect");
        Double readS = table.durationS("timeout_read");
        Map<String, String> headers = new LinkedHashMap<>();
        table.strings("headers").forEach((name, value) -> headers.put(name, secrets.read(table, "headers", value)));
        Endpoint endpoint = new Endpoint(
                url,
                expect,
                new Endpoint.SentHeaders(hostHeader, headers),
                new Endpoint.TlsChoice(sni, ca == null || ca.isEmpty() ? null : table.path("ca", ca), insecure),
                new Endpoint.TimeoutChoice(connectS, readS),
                table.flag("dedicated", false),
                new Endpoint.Spreading(table.string("algorithm"), table.numbers("weights")));
        refuseControlCharacters(table, endpoint);
        return endpoint;
    }

    /** Returns the environment variables that the commands of the file receive. */
    static List<String> variables(TomlTable table) {
        List<String> names = table.arguments("environment");
        return names == null ? List.of() : names;
    }

    /** Returns the claim of the target; null if the target file has no claim. */
    static NodeClaim claim(TomlTable table) {
        List<String> claim = table.arguments("claim");
        List<String> release = table.arguments("release");
        if ((claim == null) != (release == null)) {
            throw table.error("claim", "and release belong together: what is claimed must be released");
        }
        return claim == null ? null : new NodeClaim(claim, release, variables(table));
    }

    private static String url(TomlTable table) {
        String url = table.required("url");
        UrlParts parts = UrlParts.of(url);
        if (!List.of("http", "https").contains(parts.scheme()) || parts.host().isEmpty()) {
            throw table.error("url", "must be http://host[:port]/path or https://…, not " + shown(url));
        }
        if (parts.user() != null) {
            throw table.error("url", "holds a user name: send it as a header instead, Authorization = \"env:NAME\"");
        }
        if (parts.port() < 0) {
            throw table.error("url", "has no valid port: " + shown(url));
        }
        return url;
    }

    private static String shown(String url) {
        return ReadableText.quoted(PublicText.text(url));
    }

    private static StatusRanges ranges(TomlTable table, String key) {
        String text = table.string(key);
        if (text == null) {
            return StatusRanges.DEFAULT;
        }
        List<StatusRanges.Range> ranges = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher match = STATUS_RANGE.matcher(part);
            int low = match.matches() ? Integer.parseInt(match.group(1)) : 0;
            int high = low > 0 && match.group(2) != null ? Integer.parseInt(match.group(2)) : low;
            if (low < 100 || high < low || high > 599) {
                throw table.error(
                        key,
                        "must be status ranges such as \"200-399\" or \"200,204\", not " + ReadableText.quoted(text));
            }
            ranges.add(new StatusRanges.Range(low, high));
        }
        return new StatusRanges(ranges);
    }

    /** Refuses control characters, which would break the request or insert a second request. */
    private static void refuseControlCharacters(TomlTable table, Endpoint endpoint) {
        Map<String, String> sent = new LinkedHashMap<>(endpoint.headers());
        sent.put(
                "host_header",
                endpoint.sent().hostHeader() == null ? "" : endpoint.sent().hostHeader());
        sent.forEach((name, value) -> {
            if ((name + value).chars().anyMatch(c -> c < 32 || c == 127)) {
                throw table.error(
                        "headers",
                        ReadableText.quoted(name) + " has a control character, which would break the request");
            }
        });
    }
}
