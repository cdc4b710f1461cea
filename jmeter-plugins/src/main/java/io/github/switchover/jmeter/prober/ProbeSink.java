package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.run.Seal;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Receives finished probes on a separate thread, so that a slow disk does not delay probes. */
public interface ProbeSink extends AutoCloseable {

    /** Receives a batch of finished probes, in the order of their ends. */
    void take(List<ProbeResult> probes);

    /** Called each second. All probes that ended before {@code beforeUs} were passed on, except the present batch. */
    default void secondPassed(long beforeUs) {}

    /** Called after the last probe. */
    @Override
    void close();

    /** Returns the number of probes that could not be stored. */
    default long lost() {
        return 0;
    }

    default Map<String, Seal> seals() {
        return Map.of();
    }

    /** Returns the reason for lost probes in one line. */
    default @Nullable String warning() {
        return null;
    }
}
