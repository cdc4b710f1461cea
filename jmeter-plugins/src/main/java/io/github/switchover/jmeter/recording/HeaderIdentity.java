package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.AnsweredBy;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentitySettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.jmeter.samplers.SampleResult;

/**
 * Who answered, from the response headers as JMeter keeps them: one text, a line for each. Thread-safe.
 *
 * <p>It runs for every sample on the thread that makes the load, mostly for the same few servers. So what one of the
 * latest {@link #RECENT} have said is compared where it stands; only what is new is taken apart.
 */
public final class HeaderIdentity {

    static final int RECENT = 16;

    private static final Identity UNKNOWN = new Identity("", "", AnsweredBy.UNKNOWN);

    private final IdentityReader who;
    private final String[] wanted;
    private final HeaderValues.HeaderNames names;

    /** Without a lock: each is immutable, and true whenever it is seen. */
    private final Known[] recent = new Known[RECENT];

    private int oldest;

    /** {@code time}: as {@link HeaderValues#last} has it, which is all of it that tells something. */
    private record Known(String backend, String balancer, char time, Identity identity) {

        boolean isIn(HeaderValues values) {
            return values.last(2) == time && values.is(0, backend) && values.is(1, balancer);
        }
    }

    public HeaderIdentity(IdentitySettings settings) {
        who = new IdentityReader(settings);
        wanted = new String[] {settings.backendHeader(), settings.balancerHeader(), settings.upstreamTimeHeader()};
        names = new HeaderValues.HeaderNames(wanted);
    }

    /** Who made this result: none if there was no answer, unknown if the answer does not say. */
    public Identity of(SampleResult result) {
        String headers = result.getResponseHeaders();
        if (headers.isEmpty()) {
            boolean answered = result.isSuccessful() || SampleText.isStatus(result.getResponseCode());
            return answered ? UNKNOWN : Identity.NONE;
        }
        HeaderValues values = new HeaderValues(headers, names);
        if (!values.arePlain()) {
            return who.identify(wantedOf(headers));
        }
        for (Known known : recent) {
            if (known != null && known.isIn(values)) {
                return known.identity;
            }
        }
        Identity identity = who.identify(wantedOf(headers));
        int place = oldest;
        recent[place] = new Known(values.text(0), values.text(1), values.last(2), identity);
        oldest = (place + 1) % RECENT;
        return identity;
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
                if (HeaderValues.isNamed(headers, start, lineEnd, name)) {
                    int value = start + name.length() + 1;
                    found.add(Map.entry(name, headers.substring(value, lineEnd).strip()));
                }
            }
            start = lineEnd + 1;
        }
        return found;
    }
}
