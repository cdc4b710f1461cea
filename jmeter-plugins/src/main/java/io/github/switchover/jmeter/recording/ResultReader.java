package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.samples.FailureKind;
import java.net.URL;
import java.util.function.Consumer;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.control.TransactionController;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleResult;

/**
 * Takes from an event what its rows are made of. Thread-safe: it runs on the threads that make the load.
 *
 * <p>JMeter makes one result of several requests: a followed redirect and a page with what is embedded in it are a result
 * that holds a result for each request, and itself repeats the last redirect or the page. Here each request is one row:
 * the result's own row stands for the request that it repeats. A transaction is no request; it has no row, what it holds
 * has. Nor has a {@link NoRequest}.
 */
final class ResultReader {

    private static final int DEPTH_LIMIT = 16;

    private final HeaderIdentity who;
    private final Sessions sessions;
    private final ResultTimes times;

    ResultReader(HeaderIdentity who, Sessions sessions, ResultTimes times) {
        this.who = who;
        this.sessions = sessions;
        this.times = times;
    }

    /** {@code worker} is empty for this process. */
    void read(SampleEvent event, String worker, Consumer<Taken> sink) {
        SampleResult result = event.getResult();
        read(result, result.getAllThreads(), worker, true, DEPTH_LIMIT, sink);
    }

    private void read(SampleResult result, int users, String worker, boolean isRow, int depth, Consumer<Taken> sink) {
        SampleResult[] parts = depth > 0 ? result.getSubResults() : new SampleResult[0];
        SampleResult repeated = parts.length == 0 ? null : repeated(result, parts);
        for (SampleResult part : parts) {
            read(part, users, worker, part != repeated, depth - 1, sink);
        }
        boolean isRequest =
                !(result instanceof NoRequest) && !TransactionController.isFromTransactionController(result);
        if (isRow && isRequest) {
            sink.accept(take(result, repeated == null ? result : repeated, users, worker));
        }
    }

    /** The part whose answer the whole shows as its own; null if it shows none. */
    private static SampleResult repeated(SampleResult whole, SampleResult[] parts) {
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

    /** Not by {@link URL#equals}, which asks a name server. */
    private static boolean isSame(URL one, URL other) {
        return one != null && other != null && one.toExternalForm().equals(other.toExternalForm());
    }

    private Taken take(SampleResult result, SampleResult sized, int users, String worker) {
        boolean success = result.isSuccessful();
        long startUs;
        long endUs;
        FailureKind error = null;
        String stream = result.getConnectTime() > 0 ? "fresh" : "";
        if (result instanceof ExactResult known) {
            error = known.error();
        }
        if (result instanceof ExactResult exact && exact.startNs() != 0) {
            startUs = times.exactUs(exact, exact.startNs(), worker);
            endUs = times.exactUs(exact, exact.endNs(), worker);
            stream = exact.stream();
        } else if (ResultTimes.areKnown(result)) {
            long offsetUs = times.offsetUs(result, worker);
            startUs = result.getStartTime() * 1000 + offsetUs;
            endUs = result.getEndTime() * 1000 + offsetUs;
        } else {
            endUs = times.nowUs();
            startUs = endUs - Math.max(0, result.getTime()) * 1000;
        }
        return new Taken(
                worker,
                Math.max(0, startUs),
                Math.max(0, endUs),
                result.getSampleLabel(),
                result.getResponseCode(),
                result.getResponseMessage(),
                result.getThreadName(),
                success,
                success ? "" : failureMessage(result),
                sized.getBytesAsLong(),
                sized.getSentBytes(),
                result.getURL(),
                result.getLatency(),
                result.getConnectTime(),
                who.of(result),
                success ? null : error,
                stream,
                sessions.of(result),
                users);
    }

    /** What the first assertion that failed says; empty if none did. */
    private static String failureMessage(SampleResult result) {
        for (AssertionResult assertion : result.getAssertionResults()) {
            if ((assertion.isFailure() || assertion.isError()) && assertion.getFailureMessage() != null) {
                return assertion.getFailureMessage();
            }
        }
        return "";
    }
}
