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

    /** One of which nothing but the address is known. */
    public static Endpoint at(String url) {
        return builder(url).build();
    }

    public static EndpointBuilder builder(String url) {
        return new EndpointBuilder(url);
    }

    /** All of this endpoint, to be changed. */
    public EndpointBuilder toBuilder() {
        return new EndpointBuilder(this);
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

    /** An endpoint as it is put together; what is not said is left to the caller, or usual. Not thread-safe. */
    public static final class EndpointBuilder {

        private String url;
        private StatusRanges expect = StatusRanges.DEFAULT;
        private String hostHeader;
        private String sni;
        private Path ca;
        private boolean insecure;
        private Double timeoutConnectS;
        private Double timeoutReadS;
        private Map<String, String> headers = Map.of();
        private boolean exclusive;
        private String algorithm;
        private Map<String, Double> weights = Map.of();

        private EndpointBuilder(String url) {
            this.url = url;
        }

        private EndpointBuilder(Endpoint from) {
            url = from.url;
            expect = from.expect;
            hostHeader = from.hostHeader;
            sni = from.sni;
            ca = from.ca;
            insecure = from.insecure;
            timeoutConnectS = from.timeoutConnectS;
            timeoutReadS = from.timeoutReadS;
            headers = from.headers;
            exclusive = from.exclusive;
            algorithm = from.algorithm;
            weights = from.weights;
        }

        public Endpoint build() {
            return new Endpoint(
                    url,
                    expect,
                    hostHeader,
                    sni,
                    ca,
                    insecure,
                    timeoutConnectS,
                    timeoutReadS,
                    headers,
                    exclusive,
                    algorithm,
                    weights);
        }

        public EndpointBuilder url(String value) {
            url = value;
            return this;
        }

        public EndpointBuilder expect(StatusRanges value) {
            expect = value;
            return this;
        }

        public EndpointBuilder hostHeader(String value) {
            hostHeader = value;
            return this;
        }

        public EndpointBuilder sni(String value) {
            sni = value;
            return this;
        }

        public EndpointBuilder ca(Path value) {
            ca = value;
            return this;
        }

        public EndpointBuilder insecure(boolean value) {
            insecure = value;
            return this;
        }

        public EndpointBuilder timeoutConnectS(Double value) {
            timeoutConnectS = value;
            return this;
        }

        public EndpointBuilder timeoutReadS(Double value) {
            timeoutReadS = value;
            return this;
        }

        public EndpointBuilder headers(Map<String, String> value) {
            headers = value;
            return this;
        }

        public EndpointBuilder exclusive(boolean value) {
            exclusive = value;
            return this;
        }

        public EndpointBuilder algorithm(String value) {
            algorithm = value;
            return this;
        }

        public EndpointBuilder weights(Map<String, Double> value) {
            weights = value;
            return this;
        }
    }
}
