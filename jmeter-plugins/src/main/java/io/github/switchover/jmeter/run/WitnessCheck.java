package io.github.switchover.jmeter.run;

import java.util.List;

/**
 * One thing that was to be so, as one witness saw it.
 *
 * @param holds null: the witness was not there, or could not tell
 */
public record WitnessCheck(String name, Boolean holds, String text) {

    /**
     * What the witnesses of a fault say.
     *
     * @param seen true: a witness saw an effect. False: one contradicts it. Null: no witness could tell
     */
    public record Effect(Boolean seen, List<WitnessCheck> checks) {
        public Effect {
            checks = RunFile.copy(checks);
        }
    }

    /**
     * What they say of the pair at the end of the run.
     *
     * @param whole false where anything is not as before; null where nothing is known
     */
    public record Wholeness(Boolean whole, List<WitnessCheck> checks) {

        /**
         * How long after the heal a balancer may still be starting, and after the predicted failback the pair may still
         * be busy with coming back.
         */
        public static final long SETTLED_US = 5_000_000;

        public Wholeness {
            checks = RunFile.copy(checks);
        }
    }
}
