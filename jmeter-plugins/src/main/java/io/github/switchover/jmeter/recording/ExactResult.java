package io.github.switchover.jmeter.recording;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.RunClock;
import org.apache.jmeter.samplers.SampleResult;

/** A result whose sampler knows more than JMeter's results can hold: its exact times, and its outcome. */
public final class ExactResult extends SampleResult {

    private static final long serialVersionUID = 1L;

    private final long anchorNs;
    private long startNs;
    private long endNs;
    private FailureKind error;
    private String stream = "";
    private transient Identity identity = Identity.NONE;

    /** {@code clock}: of the process that makes it. */
    public ExactResult(RunClock clock) {
        anchorNs = clock.anchorNs();
    }

    /** The times are readings of {@link System#nanoTime}. */
    public void setExact(long startNs, long endNs, String stream, FailureKind error) {
        this.startNs = startNs;
        this.endNs = endNs;
        this.stream = stream;
        this.error = error;
    }

    public void setIdentity(Identity told) {
        identity = told;
    }

    /**
     * The identity of the server that answered, in the process that sent the request; other processes read it from
     * the headers.
     */
    public Identity identity() {
        return identity == null ? Identity.NONE : identity;
    }

    /** 0 if it was never sent. */
    long startNs() {
        return startNs;
    }

    long endNs() {
        return endNs;
    }

    /**
     * The ns that turn {@link #startNs} and {@link #endNs} into generation time, in the process that made this
     * result.
     */
    long anchorNs() {
        return anchorNs;
    }

    /** {@code fresh}, {@code kept} or empty. */
    String stream() {
        return stream;
    }

    /** The kind of the failure; null if the sampler found no failure. */
    FailureKind error() {
        return error;
    }
}
