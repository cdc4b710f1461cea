package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.ProbeClient;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Source;
import io.github.switchover.jmeter.target.StatusRanges;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** A page, with the user and password that stand in its URL. */
final class Page {

    private static final String USER_AGENT = "switchover";

    private Page() {}

    static byte[] fetch(Source.HttpPage page, Deadline deadline, int limitBytes) throws IOException {
        Endpoint endpoint = endpoint(page.url());
        Attempt attempt;
        try (ProbeClient client = new ProbeClient(new IdentityReader(IdentitySettings.DEFAULT), null)) {
            Destination destination = Destination.of(endpoint, deadline.check());
            Timeouts timeouts = Timeouts.ofTotal(Units.secondsOfNs(deadline.check()));
            attempt = client.send(Request.get(endpoint, destination, timeouts, USER_AGENT, false, limitBytes + 1));
        } catch (UsageException error) {
            throw new SourceException(page + " is no URL that can be asked for: " + error.getMessage(), error);
        }
        if (attempt.error() != null) {
            throw explained(page, attempt, deadline, limitBytes);
        }
        return body(page, attempt, limitBytes);
    }

    private static byte[] body(Source.HttpPage page, Attempt attempt, int limitBytes) {
        int status = attempt.head().status();
        if (status == 401 || status == 403) {
            throw new SourceException(page + " answered " + status
                    + ": write the page's user and password into its URL, http://user:password@host…");
        }
        if (status != 200) {
            throw new SourceException(page + " answered " + status + ", not 200: is that the right page?");
        }
        if (attempt.body().remaining() > limitBytes) {
            throw Transport.tooMuch(page, limitBytes);
        }
        byte[] body = new byte[attempt.body().remaining()];
        attempt.body().duplicate().get(body);
        return body;
    }

    private static SourceException explained(Source.HttpPage page, Attempt attempt, Deadline deadline, int limitBytes) {
        return switch (attempt.error()) {
            case CONNECT_TIMEOUT, READ_TIMEOUT -> Transport.late(page, deadline.seconds());
            case TLS ->
                new SourceException(
                        page + " shows a certificate that is not trusted, or speaks no TLS: " + attempt.message());
            case PROTOCOL ->
                attempt.message().startsWith("a body longer")
                        ? Transport.tooMuch(page, limitBytes)
                        : new SourceException(page + " did not speak HTTP as it must: " + attempt.message());
            case TRUNCATED -> truncated(page, attempt);
            default -> new SourceException(page + " cannot be read: " + attempt.message());
        };
    }

    private static SourceException truncated(Source.HttpPage page, Attempt attempt) {
        long missing = attempt.head().framing().length() - attempt.body().remaining();
        return new SourceException(
                missing > 0
                        ? page + " was cut off " + Numbers.grouped(missing) + " bytes before its end"
                        : page + " did not speak HTTP as it must: " + attempt.message());
    }

    /** The URL without user and password, which go into a header. */
    private static Endpoint endpoint(String url) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Accept", "text/plain, */*");
        int begin = url.indexOf("//") + 2;
        int end = begin;
        while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
            end++;
        }
        int at = url.lastIndexOf('@', end);
        String open = url;
        if (at >= begin) {
            String user = url.substring(begin, at);
            int colon = user.indexOf(':');
            String pair = colon < 0
                    ? decoded(user) + ":"
                    : decoded(user.substring(0, colon)) + ":" + decoded(user.substring(colon + 1));
            String credentials = Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
            headers.put("Authorization", "Basic " + credentials);
            open = url.substring(0, begin) + url.substring(at + 1);
        }
        return Endpoint.at(open).expecting(StatusRanges.ANY).with(open, headers);
    }

    /** Percent signs mean something; a plus sign does not. */
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException error) {
            return text;
        }
    }
}
