package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;
import java.util.Map;

/** The counts of all phases together, and of each by its name, in the order of the run. */
public record Population(@Inline RequestCounts whole, Map<String, RequestCounts> byPhase) {
    public Population {
        byPhase = RunFile.copy(byPhase);
    }
}
