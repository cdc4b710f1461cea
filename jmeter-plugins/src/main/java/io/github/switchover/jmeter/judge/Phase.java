package io.github.switchover.jmeter.judge;

import java.util.Locale;

/** A stretch of the run, from its first microsecond up to the next phase's. */
public record Phase(PhaseName name, long fromUs, long toUs) {

    /** The phases of a run, in their order; {@code label()} stands in verdict.json. */
    public enum PhaseName {
        BASELINE,
        SWITCHOVER,
        ON_BACKUP,
        FAILBACK,
        RECOVERED;

        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
