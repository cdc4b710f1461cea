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
        return Endpoint.builder(url).hostHeader(hostHeader).headers(headers).build();
    }

    public static Endpoint tls(String url, String sni, Path ca, boolean insecure) {
        return Endpoint.builder(url).sni(sni).ca(ca).insecure(insecure).build();
    }
}
