package io.github.switchover.jmeter.judge;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/**
 * Who answered how much.
 *
 * @param byPhase answers, by phase in the order of the run
 * @param algorithm how the balancers spread requests, as the settings say; null: not known
 */
public record Distribution(Map<PhaseName, Answers> byPhase, String algorithm) {

    /** Answers by name, in the order of the names. */
    public record Answers(Map<String, Long> backends, Map<String, Long> balancers) {

        static final Answers NONE = new Answers(Map.of(), Map.of());
    }

    public Distribution {
        EnumMap<PhaseName, Answers> copy = new EnumMap<>(PhaseName.class);
        copy.putAll(byPhase);
        byPhase = Collections.unmodifiableMap(copy);
    }
}
