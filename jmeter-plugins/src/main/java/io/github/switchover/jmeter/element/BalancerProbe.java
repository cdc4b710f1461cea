package io.github.switchover.jmeter.element;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.drill.Runs;
import io.github.switchover.jmeter.engine.CurrentTest;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.Head;
import io.github.switchover.jmeter.http.ProbeClient;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.prober.ProberSettings;
import io.github.switchover.jmeter.recording.ExactResult;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Target;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URL;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.apache.jmeter.samplers.AbstractSampler;
import org.apache.jmeter.samplers.Entry;
import org.apache.jmeter.samplers.Interruptible;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.ThreadListener;
import org.apache.jmeter.threads.JMeterVariables;
import org.jspecify.annotations.Nullable;

/** A sampler that sends one request exactly once, with short time-outs, on a new or a kept connection. */
public class BalancerProbe extends AbstractSampler implements TableBean, Interruptible, ThreadListener {

    private static final long serialVersionUID = 1L;
    private static final RunClock CLOCK = RunClock.ofProcess();

    /** Only the thread of this sampler uses this client. Other threads only interrupt the client. */
    private transient volatile @Nullable ProbeClient client;

    private transient @Nullable IdentitySettings identity;
    private transient @Nullable ProbeRequest fields;
    private transient @Nullable Target target;
    private transient @Nullable Request request;
    private transient @Nullable URL address;

    @Override
    public SampleResult sample(Entry entry) {
        ExactResult result = new ExactResult(CLOCK);
        result.setSampleLabel(getName());
        result.setDataType(SampleResult.TEXT);
        try {
            Request prepared = prepared();
            open();
            result.sampleStart();
            Attempt attempt = requireNonNull(client).send(prepared);
            result.setURL(address);
            ProbeAnswers.put(result, prepared, attempt);
        } catch (SwitchoverException error) {
            ProbeAnswers.putRefusal(result, error.getMessage());
        }
        JMeterVariables variables = getThreadContext().getVariables();
        if (variables != null) {
            WhoAnswered.put(variables, result.identity());
        }
        return result;
    }

    /** Interrupts the request. The request fails, unless JMeter stops the thread. */
    @Override
    public boolean interrupt() {
        ProbeClient now = client;
        if (now != null) {
            now.interrupt(
                    CurrentTest.isStopping(getThreadContext()) ? FailureKind.GENERATOR : FailureKind.READ_TIMEOUT);
        }
        return now != null;
    }

    @Override
    public void threadStarted() {
        // The first sample opens the client.
    }

    /** Closes the client. */
    @Override
    public void threadFinished() {
        if (client != null) {
            client.close();
            client = null;
        }
    }

    /** Returns the request, which is built again only if the fields or the target changed. */
    private Request prepared() {
        ProbeRequest now =
                new ProbeRequest(text("url"), text("connection"), text("timeoutConnect"), text("timeoutRead"));
        Target runTarget = Runs.ofThisJvm().target();
        if (request == null || !now.equals(fields) || !Objects.equals(runTarget, target)) {
            request = null;
            refuseFormerFields();
            address = now.address(runTarget);
            request = now.request(runTarget);
            fields = now;
            target = runTarget;
        }
        return request;
    }

    /** Refuses fields of earlier versions, without which the sampler would send a different request. */
    private void refuseFormerFields() {
        boolean isGet = Set.of("", "GET").contains(text("method").toUpperCase(Locale.ROOT));
        if (!isGet || !text("headers").isBlank() || !text("body").isEmpty()) {
            throw new UsageException("Balancer Probe sends GET with the headers of the target file: use an HTTP Request"
                    + " sampler for another method, header or body");
        }
    }

    /** Creates the thread's client. If a new run has other identity headers, the client is created again. */
    private void open() {
        IdentitySettings now = target == null ? IdentitySettings.DEFAULT : target.identity();
        if (client != null && now.equals(identity)) {
            return;
        }
        threadFinished();
        client = new ProbeClient(new IdentityReader(now), now.stickyCookie());

        identity = now;
    }

    /** Converts probes to JMeter results. */
    static final class ProbeAnswers {

        private static final String NO_STATUS = "Non HTTP response code: ";
        private static final String CONTENT_TYPE = "content-type:";

        static void put(ExactResult result, Request request, Attempt attempt) {
            Head head = attempt.head();
            String headers = head.text().replace("\r\n", "\n");
            String contentType = contentType(headers);
            boolean answered = head.status() != 0;
            result.sampleEnd();
            result.setExact(
                    attempt.startNs(),
                    attempt.endNs(),
                    request.keepsConnection() ? ProbeRequest.KEPT : ProbeRequest.FRESH,
                    attempt.error());
            result.setIdentity(head.identity());
            result.setConnectTime(attempt.connectNs() / Units.NS_PER_MS);
            result.setLatency(attempt.latencyNs() / Units.NS_PER_MS);
            result.setSuccessful(attempt.error() == null);
            result.setResponseCode(
                    answered
                            ? Integer.toString(head.status())
                            : NO_STATUS + requireNonNull(attempt.error()).label());
            result.setResponseMessage(attempt.message().isEmpty() ? head.reason() : attempt.message());
            result.setResponseHeaders(headers);
            result.setContentType(contentType);
            result.setEncodingAndType(contentType);
            result.setResponseData(attempt.body());
            result.setHeadersSize(head.text().length());
            result.setBodySize(
                    Math.max(0, attempt.bytes().received() - head.text().length()));
            result.setSentBytes(attempt.bytes().sent());
            result.setSamplerData("");
        }

        /** Fills the result of a probe that was not sent, because the user must correct the plan. */
        static void putRefusal(ExactResult result, String reason) {
            if (result.getStartTime() == 0) {
                result.sampleStart();
            }
            result.sampleEnd();
            result.setExact(0, 0, "", FailureKind.GENERATOR);
            result.setIdentity(Identity.NONE);
            result.setSuccessful(false);
            result.setResponseCode(NO_STATUS + FailureKind.GENERATOR.label());
            result.setResponseMessage(reason);
        }

        /** Returns the content type of an answer; empty if the answer has none. */
        private static String contentType(String headers) {
            return headers.lines()
                    .filter(line -> line.regionMatches(true, 0, CONTENT_TYPE, 0, CONTENT_TYPE.length()))
                    .map(line -> line.substring(CONTENT_TYPE.length()).strip())
                    .findFirst()
                    .orElse("");
        }
    }

    /** The fields of a Balancer Probe, and the request that they describe. The request can be sent many times. */
    record ProbeRequest(String url, String connection, String connect, String read) {

        static final String FRESH = "fresh";
        static final String KEPT = "kept";

        /** The number of bytes of an answer that assertions can read. All further bytes are counted, but not stored. */
        private static final int KEPT_BODY = 1024 * 1024;

        private static final String USER_AGENT = "switchover-probe";

        /** Builds the request. Throws UsageException if no request can be sent. */
        Request request(@Nullable Target target) {
            Endpoint endpoint = endpoint(target);
            try {
                return Request.of(
                        new byte[0],
                        endpoint,
                        Destination.of(endpoint),
                        timeouts(endpoint),
                        USER_AGENT,
                        isKept(),
                        KEPT_BODY);
            } catch (UnknownHostException error) {
                throw new UsageException(
                        "cannot resolve " + ReadableText.quoted(endpoint.host()) + ": check the host of the URL",
                        error);
            }
        }

        /** Returns the requested address as the user wrote it; null if it is no URL for Java. */
        @Nullable
        URL address(@Nullable Target target) {
            try {
                return URI.create(endpoint(target).url()).toURL();
            } catch (MalformedURLException | IllegalArgumentException error) {
                return null;
            }
        }

        private static Field field(String key, String text) {
            return new Field(BalancerProbe.class, key, text);
        }

        private boolean isKept() {
            Field written = field("connection", connection);
            String chosen = written.orElse(FRESH).toLowerCase(Locale.ROOT);
            if (!chosen.equals(FRESH) && !chosen.equals(KEPT)) {
                throw written.refusal(written.shown() + " is invalid: write " + FRESH + " or " + KEPT);
            }
            return chosen.equals(KEPT);
        }

        /** Returns the target's endpoint, unless a field overrides it. Its settings are never used for another host. */
        private Endpoint endpoint(@Nullable Target target) {
            Field own = field("url", url);
            Endpoint runTarget = target == null || target.endpoint().url().isEmpty() ? null : target.endpoint();
            if (!own.isEmpty()) {
                Endpoint endpoint = Endpoint.at(own.orElse(""));
                return runTarget != null
                                && endpoint.host().equals(runTarget.host())
                                && endpoint.port() == runTarget.port()
                                && endpoint.isTls() == runTarget.isTls()
                        ? runTarget.with(endpoint.url(), runTarget.headers())
                        : endpoint;
            }
            if (runTarget == null) {
                throw new UsageException(
                        "there is no URL to probe: fill in " + own.name() + ", or put a Balancer Target into the plan");
            }
            return runTarget;
        }

        private Timeouts timeouts(Endpoint endpoint) {
            double connectUsual =
                    Objects.requireNonNullElse(endpoint.timeouts().timeoutConnectS(), ProberSettings.TIMEOUT_CONNECT_S);
            double readUsual =
                    Objects.requireNonNullElse(endpoint.timeouts().timeoutReadS(), ProberSettings.TIMEOUT_READ_S);
            return Timeouts.ofSeconds(
                    field("timeoutConnect", connect).seconds(connectUsual),
                    field("timeoutRead", read).seconds(readUsual));
        }
    }
}
