package io.github.switchover.jmeter.streaming;

import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.Head;
import io.github.switchover.jmeter.http.ProbeClient;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.streaming.StreamSettings.InfluxCredentials;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Endpoint.StatusRanges;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * Posts one batch. The result is always an {@link InfluxAnswer}, even if the network or the database fails. For one
 * thread, but for {@link #interrupt}.
 *
 * <p>It uses the probes' client, on a kept connection. That client has no thread, limits the whole exchange, and can
 * be ended at any time. One of the JDK's clients leaves threads behind. The other limits only each read, so a server
 * can stretch an exchange without end. Redirects are not followed.
 */
final class InfluxWriter implements AutoCloseable {

    /**
     * A handshake takes a round trip: a database that has not answered it by then is away. InfluxDB itself gives a
     * write up after 10 s ({@code write-timeout} of its configuration).
     */
    private static final Timeouts TIMEOUTS = Timeouts.ofSeconds(3, 10);

    private static final long RESOLVE_NS = 3_000_000_000L;
    private static final String USER_AGENT = "switchover";
    private static final int BODY_LIMIT = 64 * 1024;

    private static final Pattern RETRY_AFTER = Pattern.compile("(?im)^retry-after:[ \t]*(.*?)[ \t\r]*$");
    private static final Pattern LOCATION = Pattern.compile("(?im)^location:[ \t]*(.*?)[ \t\r]*$");

    private final Endpoint endpoint;
    private final List<String> secrets;
    private final ProbeClient client = new ProbeClient(new IdentityReader(IdentitySettings.DEFAULT), null);

    /** The destination; null if it must be looked up, for the first time or because there was no answer. */
    private Destination destination;

    InfluxWriter(InfluxAddress address, InfluxCredentials credentials) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", "text/plain; charset=utf-8");
        headers.put("Content-Encoding", "gzip");
        headers.put("Accept", "application/json");
        String authorization = credentials.authorization(address.old());
        if (!authorization.isEmpty()) {
            headers.put("Authorization", authorization);
        }
        secrets = credentials.secrets();
        endpoint = Endpoint.at(address.writeUrl()).expecting(StatusRanges.ANY).with(address.writeUrl(), headers);
    }

    /** {@code lines}: line protocol, each with its newline. */
    InfluxAnswer post(byte[] lines) {
        byte[] body = zipped(lines);
        Attempt attempt = send(body);
        if (attempt.connection().reused()
                && (attempt.error() == FailureKind.RESET || attempt.error() == FailureKind.TRUNCATED)) {
            // A kept connection may have been closed meanwhile, and a batch that is sent twice changes nothing.
            attempt = send(body);
        }
        if (attempt.error() != null) {
            destination = null;
            return InfluxAnswer.wait(null, withoutSecrets(InfluxAnswer.shortened(attempt.message())));
        }
        Head head = attempt.head();
        String text = StandardCharsets.UTF_8.decode(attempt.body()).toString();
        return InfluxAnswer.of(head.status(), withoutSecrets(text), header(RETRY_AFTER, head), header(LOCATION, head));
    }

    /** Ends the current exchange, from any thread. */
    void interrupt() {
        client.interrupt(FailureKind.GENERATOR);
    }

    @Override
    public void close() {
        client.close();
    }

    private Attempt send(byte[] body) {
        try {
            if (destination == null) {
                destination = Destination.of(endpoint, RESOLVE_NS);
            }
            return client.send(Request.of("POST", body, endpoint, destination, TIMEOUTS, USER_AGENT, true, BODY_LIMIT));
        } catch (UnknownHostException error) {
            return Attempt.notMade(FailureKind.DNS, error.getMessage());
        }
    }

    private static String header(Pattern pattern, Head head) {
        Matcher found = pattern.matcher(head.text());
        return found.find() ? found.group(1) : null;
    }

    /** Some proxies answer with the request that they did not like. */
    private String withoutSecrets(String text) {
        String open = text;
        for (String secret : secrets) {
            open = open.replace(secret, "***");
        }
        return open;
    }

    /**
     * Lines repeat each other: the fastest level makes a tenth of them, the best one a twelfth for ten times the
     * work.
     */
    private static byte[] zipped(byte[] lines) {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream(lines.length / 8 + 64);
        try (GZIPOutputStream stream = new Fastest(zipped)) {
            stream.write(lines);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return zipped.toByteArray();
    }

    private static final class Fastest extends GZIPOutputStream {
        Fastest(ByteArrayOutputStream out) throws IOException {
            super(out, 8192);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }
}
