package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.identity.AnsweredBy;
import io.github.switchover.jmeter.identity.Identity;
import io.github.switchover.jmeter.identity.IdentitySettings;
import io.github.switchover.jmeter.identity.WhoAnswered;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.jmeter.samplers.SampleResult;

/**
 * Who answered, from the response headers as JMeter keeps them: one text, a line for each. Thread-safe.
 *
 * <p>It runs for every sample on the thread that makes the load, so only lines whose name has the length and the first
 * letter of a wanted one are looked at closer.
 */
public final class HeaderIdentity {

    private static final Identity UNKNOWN = new Identity("", "", AnsweredBy.UNKNOWN);

    private final WhoAnswered who;
    private final String[] wanted;

    public HeaderIdentity(IdentitySettings settings) {
        who = new WhoAnswered(settings);
        wanted = new String[] {settings.backendHeader(), settings.balancerHeader(), settings.upstreamTimeHeader()};
    }

    /** Who made this result: nobody if there was no answer, nobody in particular if the answer does not say. */
    public Identity of(SampleResult result) {
        String headers = result.getResponseHeaders();
        if (headers.isEmpty()) {
            boolean answered = result.isSuccessful() || SampleText.isStatus(result.getResponseCode());
            return answered ? UNKNOWN : Identity.NOBODY;
        }
        return who.identify(wantedOf(headers));
    }

    /** A name was replaced by {@code other}. */
    public boolean overflowed() {
        return who.backends().overflowed() || who.balancers().overflowed();
    }

    private List<Map.Entry<String, String>> wantedOf(String headers) {
        List<Map.Entry<String, String>> found = new ArrayList<>(wanted.length);
        int end = headers.length();
        int start = 0;
        while (start < end) {
            int newline = headers.indexOf('\n', start);
            int lineEnd = newline < 0 ? end : newline;
            for (String name : wanted) {
                int colon = start + name.length();
                if (colon < lineEnd
                        && headers.charAt(colon) == ':'
                        && !name.isEmpty()
                        && headers.regionMatches(true, start, name, 0, name.length())) {
                    found.add(Map.entry(
                            name, headers.substring(colon + 1, lineEnd).strip()));
                }
            }
            start = lineEnd + 1;
        }
        return found;
    }
}
