package io.github.switchover.jmeter.element;

import io.github.switchover.jmeter.core.FailureKind;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.Head;
import io.github.switchover.jmeter.recording.ExactResult;
import java.nio.ByteBuffer;

/**
 * What became of a probe, as JMeter's listeners and assertions look for it. For one thread.
 *
 * <p>A server's answers have the same head for a second, and {@link Head}s that are the same come as the same object: so
 * what JMeter wants of one in its own form is made once.
 */
final class ProbeAnswers {

    private static final String NO_STATUS = "Non HTTP response code: ";
    private static final String CONTENT_TYPE = "content-type:";

    private Head told = Head.NONE;
    private String headers = "";
    private String contentType = "";

    void put(ExactResult result, ProbeRequest.Address address, Attempt attempt) {
        Head head = attempt.head();
        if (!head.equals(told)) {
            told = head;
            headers = head.text().replace("\r\n", "\n");
            contentType = contentType(headers);
        }
        boolean answered = head.status() != 0;
        result.sampleEnd();
        result.setExact(
                attempt.startNs(), attempt.endNs(), attempt.connection().keeps() ? "kept" : "fresh", attempt.error());
        result.setIdentity(head.identity());
        result.setConnectTime(attempt.connectNs() / Units.NS_PER_MS);
        result.setLatency(attempt.latencyNs() / Units.NS_PER_MS);
        result.setSuccessful(attempt.error() == null);
        result.setResponseCode(
                answered
                        ? Integer.toString(head.status())
                        : NO_STATUS + attempt.error().label());
        result.setResponseMessage(attempt.message().isEmpty() ? head.reason() : attempt.message());
        result.setResponseHeaders(headers);
        result.setContentType(contentType);
        result.setEncodingAndType(contentType);
        result.setResponseData(bytes(attempt.body()));
        result.setHeadersSize(head.text().length());
        result.setBodySize(Math.max(0, attempt.bytes().received() - head.text().length()));
        result.setSentBytes(attempt.bytes().sent());
        result.setSamplerData(
                attempt.connection().replacedIdle()
                        ? "The server had closed the kept connection: it was replaced before this was sent."
                        : "");
        if (address.url() == null) {
            result.setSamplerData(address.text());
        } else {
            result.setURL(address.url());
        }
    }

    /** It was not sent: somebody has to mend the plan. */
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

    private static byte[] bytes(ByteBuffer body) {
        byte[] copy = new byte[body.remaining()];
        body.get(copy);
        return copy;
    }

    /** Empty if the answer does not tell. */
    private static String contentType(String headers) {
        return headers.lines()
                .filter(line -> line.regionMatches(true, 0, CONTENT_TYPE, 0, CONTENT_TYPE.length()))
                .map(line -> line.substring(CONTENT_TYPE.length()).strip())
                .findFirst()
                .orElse("");
    }
}
