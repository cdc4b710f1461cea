package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.target.Endpoint;
import java.nio.file.Path;
import java.util.Map;

/** Endpoints as tests need them. */
public final class Endpoints {

    private Endpoints() {}

    public static Endpoint at(String url) {
        return Endpoint.at(url);
    }

    public static Endpoint of(String url, String hostHeader, Map<String, String> headers) {
        return with(new Endpoint.SentHeaders(hostHeader, headers), Endpoint.at(url), false);
    }

    public static Endpoint tls(String url, String sni, Path ca, boolean insecure) {
        return Endpoint.at(url).with(new Endpoint.TlsChoice(sni, ca, insecure));
    }

    /** All of whose traffic is ours. */
    public static Endpoint dedicated(String url) {
        Endpoint usual = Endpoint.at(url);
        return with(usual.sent(), usual, true);
    }

    private static Endpoint with(Endpoint.SentHeaders sent, Endpoint usual, boolean dedicated) {
        return new Endpoint(
                usual.url(), usual.expect(), sent, usual.tls(), usual.timeouts(), dedicated, usual.spreading());
    }
}
