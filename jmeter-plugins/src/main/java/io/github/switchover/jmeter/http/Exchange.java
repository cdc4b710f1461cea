package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.http.Attempt.AttemptBytes;
import io.github.switchover.jmeter.http.Attempt.AttemptTimes;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** One request in progress; {@link Wire} sets its fields. Times are in monotonic ns; 0: the step was not reached. */
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

    @Nullable
    FailureKind error;

    String message = "";
    /** Null after the end of the exchange. */
    @Nullable
    Connection connection;

    Exchange(Request request, long dueNs, HeadReader heads) {
        this.request = request;
        this.dueNs = dueNs;
        answer = new Answer(heads, request.keptBody());
        unsent = ByteBuffer.wrap(request.bytes());
    }

    boolean isSent() {
        return sentNs != 0;
    }

    boolean hasEnded() {
        return endNs != 0;
    }

    void beginOnNew(Connection made) {
        take(made);
        startNs = System.nanoTime();
        allow(startNs, request.timeouts().connectNs());
    }

    void beginOnKept(Connection kept) {
        take(kept);
        reused = true;
        startNs = System.nanoTime();
        connectedNs = startNs;
        securedNs = startNs;
        allow(startNs, request.timeouts().readNs());
    }

    /** Called when the whole request is sent. The time limit of the answer starts now. */
    void setSent() {
        sentNs = System.nanoTime();
        allow(sentNs, request.timeouts().readNs());
    }

    Attempt attempt() {
        return new Attempt(
                new AttemptTimes(dueNs == 0 ? startNs : dueNs, startNs, connectedNs, securedNs, sentNs, firstNs, endNs),
                reused,
                new AttemptBytes(answer.received(), unsent.position()),
                answer.head() == null ? Head.NONE : answer.head(),
                answer.body(),
                error,
                message);
    }

    private void take(Connection taken) {
        taken.exchange = this;
        connection = taken;
    }

    /** Allows the next phase {@code phaseNs}; the total time-out still applies. */
    private void allow(long nowNs, long phaseNs) {
        deadlineNs = Math.min(nowNs + phaseNs, startNs + request.timeouts().totalNs());
    }
}
