package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.jmeter.samplers.SampleResult;
import org.jspecify.annotations.Nullable;

/** Reads the identity from response headers in JMeter's form, one line for each header. Thread-safe. */
public final class HeaderIdentity {

    private final IdentityReader who;
    private final List<String> wanted;

    public HeaderIdentity(IdentitySettings settings) {
        who = new IdentityReader(settings);
        wanted = List.of(settings.backendHeader(), settings.balancerHeader(), settings.upstreamTimeHeader());
    }

    /** Returns the identity of a result: none without an answer, unknown if the answer does not name the server. */
    public Identity of(SampleResult result) {
        String headers = result.getResponseHeaders();
        if (headers.isEmpty()) {
            boolean answered = result.isSuccessful() || SampleText.isStatus(result.getResponseCode());
            return answered ? Identity.UNKNOWN : Identity.NONE;
        }
        return who.identify(wantedOf(headers));
    }

    public @Nullable String warning() {
        return who.warning();
    }

    /** Copies only lines with a wanted name, because it runs for every sample on the thread that makes the load. */
    private List<Map.Entry<String, String>> wantedOf(String headers) {
        List<Map.Entry<String, String>> entries = new ArrayList<>(wanted.size());
        int start = 0;
        while (start < headers.length()) {
            int newline = headers.indexOf('\n', start);
            int end = newline < 0 ? headers.length() : newline;
            for (String name : wanted) {
                int colon = start + name.length();
                if (colon < end
                        && headers.charAt(colon) == ':'
                        && !name.isEmpty()
                        && headers.regionMatches(true, start, name, 0, name.length())) {
                    entries.add(
                            Map.entry(name, headers.substring(colon + 1, end).strip()));
                }
            }
            start = end + 1;
        }
        return entries;
    }
}
