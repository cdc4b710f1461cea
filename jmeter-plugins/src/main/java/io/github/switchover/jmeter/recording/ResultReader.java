package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.BoundedCache;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Json;
import io.github.switchover.jmeter.core.Labelled;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.ResourceText;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Sample.SampleAnswer;
import io.github.switchover.jmeter.core.Sample.SampleClient;
import io.github.switchover.jmeter.core.Sample.SampleRequest;
import io.github.switchover.jmeter.core.Sample.SampleTimes;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.engine.ResultTimes;
import java.net.URL;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.protocol.http.sampler.HTTPSampleResult;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleResult;
import org.jspecify.annotations.Nullable;

/**
 * Reads sample log rows from an event. Thread-safe: it runs on the threads that make the load.
 *
 * <p>The result of a redirect, or of a page with embedded resources, contains a result for each request. The outer
 * result repeats the last redirect or the page, so its row has the time, size and outcome of the request that it
 * repeats. A transaction is not a request: only the results inside it have rows. A {@link NoRequest} has no row.
 */
final class ResultReader {

    private static final int DEPTH_LIMIT = 16;

    private final HeaderIdentity who;
    private final Sessions sessions;
    private final ResultTimes times;
    private final SampleText texts = new SampleText();

    ResultReader(HeaderIdentity who, Sessions sessions, ResultTimes times) {
        this.who = who;
        this.sessions = sessions;
        this.times = times;
    }

    /** {@code worker}: empty for this process. */
    void read(SampleEvent event, String worker, Consumer<Sample> sink) {
        SampleResult result = event.getResult();
        read(result, worker, true, DEPTH_LIMIT, sink);
    }

    private void read(SampleResult result, String worker, boolean isRow, int depth, Consumer<Sample> sink) {
        SampleResult[] parts = depth > 0 ? result.getSubResults() : new SampleResult[0];
        SampleResult repeated = parts.length == 0 ? null : repeated(result, parts);
        for (SampleResult part : parts) {
            read(part, worker, part != repeated && !isOnlyText(result, part), depth - 1, sink);
        }
        if (isRow && !NoRequest.is(result)) {
            sink.accept(take(result, repeated == null ? result : repeated, worker));
        }
    }

    /** Returns true for the output of a Debug PostProcessor, a result without an address inside a request. */
    private static boolean isOnlyText(SampleResult whole, SampleResult part) {
        return whole.getURL() != null && part.getURL() == null;
    }

    /** Returns the inner result whose answer the outer result repeats. */
    private static @Nullable SampleResult repeated(SampleResult whole, SampleResult[] parts) {
        for (int i = parts.length - 1; i >= 0; i--) {
            SampleResult part = parts[i];
            if (whole.getResponseHeaders().equals(part.getResponseHeaders())
                    && whole.getResponseCode().equals(part.getResponseCode())
                    && isSame(whole.getURL(), part.getURL())) {
                return part;
            }
        }
        return null;
    }

    /** Compares URLs without {@link URL#equals}, because {@code URL#equals} makes a DNS lookup. */
    private static boolean isSame(@Nullable URL one, @Nullable URL other) {
        return one != null && other != null && one.toExternalForm().equals(other.toExternalForm());
    }

    /** Makes a row. {@code whole} has the label, the users and the assertions; {@code result} is the request. */
    private Sample take(SampleResult whole, SampleResult result, String worker) {
        boolean success = whole.isSuccessful() || isFailedByOthers(whole, result);
        long startUs;
        long endUs;
        String stream = result.getConnectTime() > 0 ? "fresh" : "";
        if (result instanceof ExactResult exact && exact.startNs() != 0) {
            startUs = times.exactUs(exact.startNs(), exact.anchorNs(), worker);
            endUs = times.exactUs(exact.endNs(), exact.anchorNs(), worker);
            stream = exact.stream();
        } else if (ResultTimes.areKnown(result)) {
            long offsetUs = times.offsetUs(result, worker);
            startUs = result.getStartTime() * Units.US_PER_MS + offsetUs;
            endUs = result.getEndTime() * Units.US_PER_MS + offsetUs;
        } else {
            endUs = times.nowUs();
            startUs = endUs - Math.max(0, result.getTime()) * Units.US_PER_MS;
        }
        startUs = Math.max(0, startUs);
        String code = SampleText.limited(result.getResponseCode());
        String url = result.getURL() == null ? "" : result.getURL().toExternalForm();
        return new Sample(
                new SampleTimes(
                        startUs,
                        Math.max(startUs, endUs),
                        null,
                        Math.max(0, result.getConnectTime()) * Units.US_PER_MS,
                        Math.max(0, result.getLatency()) * Units.US_PER_MS),
                new SampleRequest(
                        SampleText.label(whole.getSampleLabel(), url),
                        texts.address(url),
                        1,
                        stream,
                        sessions.of(whole)),
                new SampleAnswer(
                        success,
                        success ? null : failureKind(result),
                        code,
                        SampleText.isThrown(code)
                                ? SampleText.failureMessage(result.getResponseMessage())
                                : SampleText.message(result.getResponseMessage()),
                        success ? "" : SampleText.failureMessage(failureMessage(whole, result)),
                        Math.max(0, result.getBytesAsLong()),
                        Math.max(0, result.getSentBytes())),
                who.of(whole),
                new SampleClient(
                        SampleText.limited(whole.getThreadName()),
                        Math.max(0, whole.getAllThreads()),
                        Math.max(0, whole.getGroupThreads())));
    }

    /** Returns true if JMeter failed a page only because an embedded resource failed. */
    private static boolean isFailedByOthers(SampleResult whole, SampleResult own) {
        return own != whole
                && own.isSuccessful()
                && Arrays.stream(whole.getAssertionResults()).noneMatch(ResultReader::isBad)
                && Arrays.stream(whole.getSubResults()).anyMatch(part -> !part.isSuccessful());
    }

    private static boolean isBad(AssertionResult assertion) {
        return assertion.isFailure() || assertion.isError();
    }

    /** Returns the kind that the sampler reported, otherwise the kind that follows from JMeter's code and message. */
    private static FailureKind failureKind(SampleResult result) {
        FailureKind known = result instanceof ExactResult exact ? exact.error() : null;
        String message = result.getResponseMessage();
        return known != null
                ? known
                : ResultFailure.kindOf(
                        result.getResponseCode(), message == null ? "" : message, CurrentTest.isStopping());
    }

    /** Returns the message of the first failed assertion, otherwise of the exception; empty for a bad status. */
    private static String failureMessage(SampleResult whole, SampleResult result) {
        for (AssertionResult assertion : whole.getAssertionResults()) {
            String text = assertion.getFailureMessage();
            if (isBad(assertion) && text != null && !text.isEmpty()) {
                return text;
            }
        }
        return SampleText.isThrown(result.getResponseCode()) ? result.getResponseMessage() : "";
    }

    /**
     * Classifies the failure of a JMeter sample by the rules in {@code tables/failures.json}.
     *
     * <p>JMeter writes the class of an exception into the response code, and its message into the response message.
     * Messages are checked first, because the class for the same cause differs between clients and JDKs.
     */
    public static final class ResultFailure {

        private static final Pattern THROWN = Pattern.compile("Non HTTP response code: (?:[\\w.$]*[.$])?(?<type>\\w+)");

        private static final int FIRST_BAD_STATUS = 400;

        /** The rules, in their order. */
        private static final List<Rule> RULES = rules();

        private record RuleTable(List<Rule> messages, List<Rule> exceptions) {}

        /** A rule; null matches everything. {@code cut}: JMeter closed the connection. */
        private record Rule(
                String kind,
                @Nullable List<String> words,
                @Nullable List<String> types,
                @Nullable String message,
                boolean cut) {

            boolean holds(String type, String text) {
                return (types == null || types.contains(type))
                        && (words == null || words.stream().anyMatch(text::contains))
                        && (message == null || text.contains(message));
            }
        }

        private static List<Rule> rules() {
            RuleTable table = Json.read(ResourceText.table("failures.json"), RuleTable.class);
            return Stream.concat(table.messages.stream(), table.exceptions.stream())
                    .toList();
        }

        /** Returns the kind of a failure. A request that JMeter cut because its thread must end did not fail. */
        public static FailureKind kindOf(String responseCode, String responseMessage, boolean isStopping) {
            Matcher thrown = THROWN.matcher(responseCode);
            if (thrown.matches()) {
                String type = thrown.group("type");
                String message = responseMessage.toLowerCase(Locale.ROOT);
                return RULES.stream()
                        .filter(rule -> rule.holds(type, message))
                        .findFirst()
                        .map(rule -> rule.cut && isStopping
                                ? FailureKind.GENERATOR
                                : Labelled.of(FailureKind.values(), rule.kind))
                        .orElse(FailureKind.PROTOCOL);
            }
            boolean bad = SampleText.isStatus(responseCode) && Integer.parseInt(responseCode) >= FIRST_BAD_STATUS;
            // The status is good or missing, so another check failed the sample, such as an assertion.
            return bad ? FailureKind.STATUS : FailureKind.ASSERTION;
        }
    }

    /** Hashes the sticky cookie that an answer set, otherwise the cookie that the request sent. Thread-safe. */
    static final class Sessions {

        private static final int CACHE_LIMIT = 10_000;
        private static final String SET_COOKIE = "set-cookie:";

        private final String cookie;
        private final BoundedCache<String, String> hashes = new BoundedCache<>(CACHE_LIMIT, Identity::hashSession);

        /** {@code cookie}: the name of the cookie; null or empty: none. */
        Sessions(@Nullable String cookie) {
            this.cookie = cookie == null ? "" : cookie;
        }

        /** Returns the hash; empty without a sticky cookie. */
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
            return headers.lines()
                    .filter(line -> line.regionMatches(true, 0, SET_COOKIE, 0, SET_COOKIE.length()))
                    .map(line -> valueIn(line.substring(SET_COOKIE.length()).split(";", 2)[0]))
                    .filter(value -> !value.isEmpty())
                    .findFirst()
                    .orElse("");
        }

        private String valueIn(String pairs) {
            return Stream.of(pairs.split(";", -1))
                    .map(pair -> pair.split("=", 2))
                    .filter(pair -> pair.length == 2 && pair[0].strip().equals(cookie))
                    .map(pair -> pair[1].strip())
                    .findFirst()
                    .orElse("");
        }
    }
}
