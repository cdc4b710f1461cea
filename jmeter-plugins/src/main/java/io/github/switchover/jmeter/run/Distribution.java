package io.github.switchover.jmeter.run;

import com.google.gson.JsonElement;
import io.github.switchover.jmeter.core.Inline;
import java.util.Map;

/**
 * Who answered how much.
 *
 * @param algorithm how the balancers spread requests, as the settings say; null: not known
 * @param byPhase answers by phase, in the order of the run; probes and samples together
 */
public record Distribution(
        String algorithm,
        Map<String, PhaseAnswers> byPhase,
        @Inline ReportOnly report) {

    /** Answers of one phase by name. */
    public record PhaseAnswers(Map<String, AnswerShare> backends, Map<String, AnswerShare> balancers) {
        public static final PhaseAnswers NONE = new PhaseAnswers(null, null);

        public PhaseAnswers {
            backends = RunFile.copy(backends);
            balancers = RunFile.copy(balancers);
        }
    }

    /** A part of the answers of a phase; {@code share} is 0 to 1. */
    public record AnswerShare(long count, double share) {}

    /** What only {@code switchover report} computes; null here. */
    public record ReportOnly(JsonElement turns, JsonElement chiSquare, Long sessions, Long sessionsMoved) {
        static final ReportOnly NONE = new ReportOnly(null, null, null, null);

        public ReportOnly {
            turns = RunFile.known(turns);
            chiSquare = RunFile.known(chiSquare);
        }
    }

    public Distribution {
        byPhase = RunFile.copy(byPhase);
    }

    public static Distribution of(String algorithm, Map<String, PhaseAnswers> byPhase) {
        return new Distribution(algorithm, byPhase, ReportOnly.NONE);
    }

    /** Of a phase that the run may not have had. */
    public PhaseAnswers in(String phase) {
        return byPhase.getOrDefault(phase, PhaseAnswers.NONE);
    }
}
