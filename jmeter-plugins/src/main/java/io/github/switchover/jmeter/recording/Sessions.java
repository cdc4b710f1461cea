package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.BoundedCache;
import io.github.switchover.jmeter.core.SessionHash;
import org.apache.jmeter.protocol.http.sampler.HTTPSampleResult;
import org.apache.jmeter.samplers.SampleResult;

/** The sticky cookie that an answer set, else the one that the request carried, hashed. Thread-safe. */
final class Sessions {

    private static final int CACHE_LIMIT = 10_000;
    private static final String SET_COOKIE = "set-cookie:";

    private final String cookie;
    private final BoundedCache<String, String> hashes = new BoundedCache<>(CACHE_LIMIT, SessionHash::of);

    /** {@code cookie}: null or empty where there is none. */
    Sessions(String cookie) {
        this.cookie = cookie == null ? "" : cookie;
    }

    /** Empty without one. */
    String of(SampleResult result) {
        if (cookie.isEmpty()) {
            return "";
        }
        String value = setBy(result.getResponseHeaders());
        if (value.isEmpty() && result instanceof HTTPSampleResult request) {
            value = valueIn(request.getCookies());
        }
        return value.isEmpty() ? "" : hashes.get(value);
    }

    private String setBy(String headers) {
        int start = 0;
        while (start < headers.length()) {
            int newline = headers.indexOf('\n', start);
            int end = newline < 0 ? headers.length() : newline;
            if (headers.regionMatches(true, start, SET_COOKIE, 0, SET_COOKIE.length())) {
                String line = headers.substring(start + SET_COOKIE.length(), end);
                int semicolon = line.indexOf(';');
                String value = valueIn(semicolon < 0 ? line : line.substring(0, semicolon));
                if (!value.isEmpty()) {
                    return value;
                }
            }
            start = end + 1;
        }
        return "";
    }

    /** Of {@code name=value; other=value}. */
    private String valueIn(String pairs) {
        int start = 0;
        while (start < pairs.length()) {
            int semicolon = pairs.indexOf(';', start);
            int end = semicolon < 0 ? pairs.length() : semicolon;
            int equals = pairs.indexOf('=', start);
            if (equals >= 0
                    && equals < end
                    && pairs.substring(start, equals).strip().equals(cookie)) {
                return pairs.substring(equals + 1, end).strip();
            }
            start = end + 1;
        }
        return "";
    }
}
