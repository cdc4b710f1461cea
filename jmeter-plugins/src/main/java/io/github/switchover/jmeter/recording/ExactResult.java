package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.RunClock;
import org.apache.jmeter.samplers.SampleResult;
import org.jspecify.annotations.Nullable;

/** A result with data that JMeter's results cannot contain: exact times, and the kind of the failure. */
public final class ExactResult extends SampleResult {

    private static final long serialVersionUID = 1L;

    private final long anchorNs;
    private long startNs;
    private long endNs;
    private @Nullable FailureKind error;
    private String stream = "";
    private transient @Nullable Identity identity = Identity.NONE;

    /** {@code clock}: the clock of the process that makes the result. */
    public ExactResult(RunClock clock) {
        anchorNs = clock.anchorNs();
    }

    /** {@code startNs}, {@code endNs}: values of {@link System#nanoTime}. */
    public void setExact(long startNs, long endNs, String stream, @Nullable FailureKind error) {
        this.startNs = startNs;
        this.endNs = endNs;
        this.stream = stream;
        this.error = error;
    }

    public void setIdentity(Identity identity) {
        this.identity = identity;
    }

    /** Returns the identity of the server that answered, which is known only in the process that sent the request. */
    public Identity identity() {
        return identity == null ? Identity.NONE : identity;
    }

    /** Returns 0 if the request was never sent. */
    long startNs() {
        return startNs;
    }

    long endNs() {
        return endNs;
    }

    /** Returns the ns to add to the times for times since the epoch, in the process that made this result. */
    long anchorNs() {
        return anchorNs;
    }

    /** Returns {@code fresh}, {@code kept} or empty. */
    String stream() {
        return stream;
    }

    /** The kind of the failure. */
    @Nullable
    FailureKind error() {
        return error;
    }
}
