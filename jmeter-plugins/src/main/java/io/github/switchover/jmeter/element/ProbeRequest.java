package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.prober.ProberSettings;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Target;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** What the fields of a Balancer Probe mean: a request, ready to be sent any number of times. */
record ProbeRequest(
        String url, String method, String headers, String body, String connection, String connect, String read) {

    static final String FRESH = "fresh";
    static final String KEPT = "kept";

    /** Bytes of an answer that assertions can look at; what is beyond is counted. */
    private static final int KEPT_BODY = 1024 * 1024;

    private static final String USER_AGENT = "switchover-probe";

    /**
     * Looks its host up, once.
     *
     * @param target of the run; null: none
     * @throws UsageException in one line, if there is nothing that could be sent
     */
    Request request(Target target) {
        Endpoint endpoint = endpoint(target);
        String chosen = field("method", method).orElse("GET").toUpperCase(Locale.ROOT);
        byte[] content = body == null ? new byte[0] : body.getBytes(StandardCharsets.UTF_8);
        try {
            return Request.of(
                    chosen,
                    content,
                    endpoint,
                    Destination.of(endpoint),
                    timeouts(endpoint),
                    USER_AGENT,
                    isKept(),
                    KEPT_BODY);
        } catch (UnknownHostException error) {
            throw new UsageException(
                    "cannot resolve " + ReadableText.quoted(endpoint.host()) + ": check the host of the URL", error);
        }
    }

    /** The address that is asked, as it was written; {@code url}: null if Java does not read it as one. */
    record Address(String text, URL url) {}

    Address address(Target target) {
        String text = endpoint(target).url();
        try {
            return new Address(text, URI.create(text).toURL());
        } catch (MalformedURLException | IllegalArgumentException error) {
            return new Address(text, null);
        }
    }

    private static Field field(String key, String text) {
        return new Field(BalancerProbe.class, key, text);
    }

    private boolean isKept() {
        Field written = field("connection", connection);
        String chosen = written.orElse(FRESH).toLowerCase(Locale.ROOT);
        if (!chosen.equals(FRESH) && !chosen.equals(KEPT)) {
            throw written.refusal(written.shown() + " is none: write " + FRESH + " or " + KEPT);
        }
        return chosen.equals(KEPT);
    }

    /** What the target says, unless a field says otherwise; nothing of it goes to another host. */
    private Endpoint endpoint(Target target) {
        Field own = field("url", url);
        Endpoint ofRun = target == null || target.endpoint().url().isEmpty() ? null : target.endpoint();
        if (own.isEmpty() && ofRun == null) {
            throw new UsageException(
                    "nothing to probe: fill in " + own.name() + ", or put a Balancer Target into the plan");
        }
        Endpoint asked = own.isEmpty() ? ofRun : Endpoint.at(own.orElse(""));
        boolean same = ofRun != null
                && asked.host().equals(ofRun.host())
                && asked.port() == ofRun.port()
                && asked.isTls() == ofRun.isTls();
        Endpoint from = same ? ofRun : asked;
        Map<String, String> all = new LinkedHashMap<>(from.headers());
        all.putAll(ownHeaders());
        return from.with(asked.url(), all);
    }

    private Map<String, String> ownHeaders() {
        Map<String, String> found = new LinkedHashMap<>();
        if (headers == null) {
            return found;
        }
        headers.lines().map(String::strip).filter(line -> !line.isEmpty()).forEach(line -> {
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw field("headers", headers).refusal("a line is no header: write Name: value");
            }
            found.put(
                    line.substring(0, colon).strip(), line.substring(colon + 1).strip());
        });
        return found;
    }

    private Timeouts timeouts(Endpoint endpoint) {
        double connectUsual =
                Objects.requireNonNullElse(endpoint.timeouts().timeoutConnectS(), ProberSettings.TIMEOUT_CONNECT_S);
        double readUsual =
                Objects.requireNonNullElse(endpoint.timeouts().timeoutReadS(), ProberSettings.TIMEOUT_READ_S);
        return Timeouts.ofSeconds(
                field("timeoutConnect", connect).seconds(connectUsual),
                field("timeoutRead", read).seconds(readUsual));
    }
}
