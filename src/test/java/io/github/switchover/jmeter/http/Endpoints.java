package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.StatusRanges;
import java.nio.file.Path;
import java.util.Map;

/** Endpoints as tests need them. */
public final class Endpoints {

    private Endpoints() {}

    public static Endpoint at(String url) {
        return of(url, null, Map.of());
    }

    public static Endpoint of(String url, String hostHeader, Map<String, String> headers) {
        return new Endpoint(
                url, StatusRanges.DEFAULT, hostHeader, null, null, false, null, null, headers, false, null, Map.of());
    }

    public static Endpoint tls(String url, String sni, Path ca, boolean insecure) {
        return new Endpoint(
                url, StatusRanges.DEFAULT, null, sni, ca, insecure, null, null, Map.of(), false, null, Map.of());
    }
}
