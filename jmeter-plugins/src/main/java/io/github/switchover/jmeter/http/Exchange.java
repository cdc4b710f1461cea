package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.samples.FailureKind;
import java.nio.ByteBuffer;

/** One request under way; {@link Wire} fills it in. Times in ns of the monotonic clock, 0: not come to that. */
final class Exchange {

    final Request request;
    final long dueNs;
    final Answer answer;
    final ByteBuffer unsent;
    long startNs;
    long connectedNs;
    long securedNs;
    long sentNs;
    long firstNs;
    long endNs;
    long deadlineNs;
    boolean reused;
    FailureKind error;
    String message = "";
    /** Null at the end. */
    Connection connection;

    Exchange(Request request, long dueNs, HeadReader heads) {
        this.request = request;
        this.dueNs = dueNs;
        answer = new Answer(heads, request.keptBody(), request.isBodiless());
        unsent = request.bytes();
    }

    boolean hasEnded() {
        return endNs != 0;
    }

    /** The next phase may take so long, but never longer than the whole. */
    void allow(long nowNs, long phaseNs) {
        deadlineNs = Math.min(nowNs + phaseNs, startNs + request.timeouts().totalNs());
    }

    Attempt attempt(boolean replacedIdle) {
        return new Attempt(
                dueNs == 0 ? startNs : dueNs,
                startNs,
                connectedNs,
                securedNs,
                sentNs,
                firstNs,
                endNs,
                request.keepsConnection(),
                reused,
                replacedIdle,
                answer.head() == null ? Head.NONE : answer.head(),
                answer.body(),
                answer.received(),
                unsent.position(),
                error,
                message);
    }
}
