package io.github.switchover.jmeter.target;

import io.github.switchover.jmeter.core.PublicText;
import io.github.switchover.jmeter.target.Endpoint.StatusRanges.Range;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The destination of requests. {@code dedicated}: all traffic of the nodes is from this test. */
public record Endpoint(
        String url,
        StatusRanges expect,
        SentHeaders sent,
        TlsChoice tls,
        TimeoutChoice timeouts,
        boolean dedicated,
        Spreading spreading) {

    /** The headers of a request. {@code hostHeader} null: the host of the URL. */
    public record SentHeaders(@Nullable String hostHeader, Map<String, String> headers) {}

    /** The check of a server's certificate. {@code sni} null: the URL's host; {@code ca} null: Java's own store. */
    public record TlsChoice(@Nullable String sni, @Nullable Path ca, boolean insecure) {}

    /** Time limits in seconds; null: the caller chooses the limit. */
    public record TimeoutChoice(
            @Nullable Double timeoutConnectS, @Nullable Double timeoutReadS) {}

    /** The expected distribution, by HAProxy's name of the algorithm. A missing weight is HAProxy's weight, or 1. */
    public record Spreading(@Nullable String algorithm, Map<String, Double> weights) {}

    public static Endpoint at(String url) {
        return new Endpoint(
                url,
                StatusRanges.DEFAULT,
                new SentHeaders(null, Map.of()),
                new TlsChoice(null, null, false),
                new TimeoutChoice(null, null),
                false,
                new Spreading(null, Map.of()));
    }

    public Map<String, String> headers() {
        return sent.headers;
    }

    public Endpoint with(String otherUrl, Map<String, String> otherHeaders) {
        SentHeaders other = new SentHeaders(sent.hostHeader, otherHeaders);
        return new Endpoint(otherUrl, expect, other, tls, timeouts, dedicated, spreading);
    }

    public Endpoint expecting(StatusRanges other) {
        return new Endpoint(url, other, sent, tls, timeouts, dedicated, spreading);
    }

    public Endpoint with(TlsChoice other) {
        return new Endpoint(url, expect, sent, other, timeouts, dedicated, spreading);
    }

    public boolean isTls() {
        return url.regionMatches(true, 0, "https:", 0, 6);
    }

    public String host() {
        return UrlParts.of(url).host();
    }

    public int port() {
        return UrlParts.of(url).portOrDefault();
    }

    /** Omits the headers, which may be credentials. */
    @Override
    public String toString() {
        return "Endpoint[" + PublicText.url(url) + ", expect=" + expect + ", headers="
                + headers().keySet() + "]";
    }

    /** The status codes of good answers: {@code 200-399} or {@code 200,204,300-399}. */
    public record StatusRanges(List<Range> ranges) {

        public static final StatusRanges DEFAULT = new StatusRanges(List.of(new Range(200, 399)));

        public static final StatusRanges ANY = new StatusRanges(List.of(new Range(100, 999)));

        /** A range of status codes, both ends included. */
        public record Range(int low, int high) {}

        @Override
        public String toString() {
            return ranges.stream()
                    .map(range -> range.low == range.high ? "" + range.low : range.low + "-" + range.high)
                    .collect(Collectors.joining(","));
        }
    }
}
