package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.PublicText;
import java.nio.file.Path;
import java.util.Map;

/**
 * Where requests go. Timeouts in seconds; null leaves the choice to the caller.
 *
 * @param exclusive all traffic that the nodes see is ours, so counters must match to the last request
 * @param algorithm how the balancers spread requests, by HAProxy's word for it; null: not known, so nothing is expected
 * @param weights per backend; what is not named weighs what HAProxy says, or 1
 */
public record Endpoint(
        String url,
        StatusRanges expect,
        String hostHeader,
        String sni,
        Path ca,
        boolean insecure,
        Double timeoutConnectS,
        Double timeoutReadS,
        Map<String, String> headers,
        boolean exclusive,
        String algorithm,
        Map<String, Double> weights) {

    public Endpoint {
        headers = Immutable.copy(headers);
        weights = Immutable.copy(weights);
    }

    public boolean isTls() {
        return url.regionMatches(true, 0, "https:", 0, 6);
    }

    public String host() {
        return UrlParts.of(url).host();
    }

    public int port() {
        int port = UrlParts.of(url).port();
        return port > 0 ? port : isTls() ? 443 : 80;
    }

    /** Without the headers, which may be credentials. */
    @Override
    public String toString() {
        return "Endpoint[" + PublicText.url(url) + ", expect=" + expect + ", headers=" + headers.keySet() + "]";
    }
}
