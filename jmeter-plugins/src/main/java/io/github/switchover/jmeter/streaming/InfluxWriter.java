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
import org.jspecify.annotations.Nullable;

/**
 * Posts one batch. Failures are also {@link InfluxAnswer}s. For one thread, except {@link #interrupt}.
 *
 * <p>It uses the client of the probes, which starts no thread, limits the whole exchange, and can be interrupted. The
 * JDK's clients leave threads behind, or limit only the time of each read. Redirects are not followed.
 */
final class InfluxWriter implements AutoCloseable {

    /** A handshake takes one round trip. InfluxDB ends a write after 10 s ({@code write-timeout}). */
    private static final Timeouts TIMEOUTS = Timeouts.ofSeconds(3, 10);

    private static final long RESOLVE_NS = 3_000_000_000L;
    private static final String USER_AGENT = "switchover";
    private static final int BODY_LIMIT = 64 * 1024;

    private static final Pattern RETRY_AFTER = Pattern.compile("(?im)^retry-after:[ \t]*(.*?)[ \t\r]*$");
    private static final Pattern LOCATION = Pattern.compile("(?im)^location:[ \t]*(.*?)[ \t\r]*$");

    private final Endpoint endpoint;
    private final List<String> secrets;
    private final ProbeClient client = new ProbeClient(new IdentityReader(IdentitySettings.DEFAULT), null);

    /** The destination; null if the name must be resolved, at the start or after a request without an answer. */
    private @Nullable Destination destination;

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

    /** {@code lines}: line protocol; each line ends with a newline. */
    InfluxAnswer post(byte[] lines) {
        byte[] body = zipped(lines);
        Attempt attempt = send(body);
        if (attempt.reused() && (attempt.error() == FailureKind.RESET || attempt.error() == FailureKind.TRUNCATED)) {
            // The server may have closed the kept connection. A batch that is sent twice does not change the stored
            // points.
            attempt = send(body);
        }
        if (attempt.error() != null) {
            destination = null;
            return InfluxAnswer.wait(null, withoutSecrets(InfluxAnswer.shortened(attempt.message())));
        }
        Head head = attempt.head();
        String text = new String(attempt.body(), StandardCharsets.UTF_8);
        return InfluxAnswer.of(head.status(), withoutSecrets(text), header(RETRY_AFTER, head), header(LOCATION, head));
    }

    /** Ends the current exchange; may be called on any thread. */
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
            return client.send(Request.of(body, endpoint, destination, TIMEOUTS, USER_AGENT, true, BODY_LIMIT));
        } catch (UnknownHostException error) {
            return Attempt.notMade(FailureKind.DNS, String.valueOf(error.getMessage()));
        }
    }

    private static @Nullable String header(Pattern pattern, Head head) {
        Matcher found = pattern.matcher(head.text());
        return found.find() ? found.group(1) : null;
    }

    /** Removes the credentials: some proxies repeat the refused request in their answer. */
    private String withoutSecrets(String text) {
        String open = text;
        for (String secret : secrets) {
            open = open.replace(secret, "***");
        }
        return open;
    }

    /** Compresses to about a tenth. The best level reaches a twelfth, but needs ten times the CPU time. */
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
