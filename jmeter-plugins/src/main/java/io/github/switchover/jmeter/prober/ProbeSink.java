package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.run.Seal;
import java.util.List;
import java.util.Map;

/** The receiver of the probes as they end, on a separate thread, so that a slow disk delays no probe. */
public interface ProbeSink extends AutoCloseable {

    /** A few dozen probes that have ended, in the order of their ends. */
    void take(List<ProbeResult> probes);

    /** Once a second: all probes that ended before this have been handed over, unless they are just being handed. */
    default void secondPassed(long beforeUs) {}

    /** After the last probe. */
    @Override
    void close();

    /** Probes that could not be kept. */
    default long lost() {
        return 0;
    }

    default Map<String, Seal> seals() {
        return Map.of();
    }

    /** Why, in one line; null if all were. */
    default String warning() {
        return null;
    }
}
