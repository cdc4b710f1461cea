package io.github.switchover.jmeter.judge;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** The counts of all phases together, and of each in the order of the run. */
public record Population(Counts whole, Map<PhaseName, Counts> byPhase) {

    public Population {
        EnumMap<PhaseName, Counts> copy = new EnumMap<>(PhaseName.class);
        copy.putAll(byPhase);
        byPhase = Collections.unmodifiableMap(copy);
    }
}
