package io.github.switchover.jmeter.judge;

import io.github.switchover.jmeter.core.Numbers;
import java.util.LinkedHashMap;
import java.util.Map;

/** The parts of {@code verdict.json} that count requests. */
final class CountsJson {

    private CountsJson() {}

    /** Null where there is none. */
    static Map<String, Object> population(Population population) {
        if (population == null) {
            return null;
        }
        Map<String, Object> byPhase = new LinkedHashMap<>();
        population.byPhase().forEach((phase, counts) -> byPhase.put(phase.label(), counts(counts)));
        Map<String, Object> values = counts(population.whole());
        values.put("by_phase", byPhase);
        return values;
    }

    static Map<String, Object> distribution(Distribution distribution) {
        Map<String, Object> byPhase = new LinkedHashMap<>();
        distribution.byPhase().forEach((phase, answers) -> {
            Map<String, Object> found = new LinkedHashMap<>();
            found.put("backends", shares(answers.backends()));
            found.put("balancers", shares(answers.balancers()));
            byPhase.put(phase.label(), found);
        });
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("algorithm", distribution.algorithm());
        values.put("by_phase", byPhase);
        values.put("turns", null);
        values.put("chi_square", null);
        values.put("sessions", null);
        values.put("sessions_moved", null);
        return values;
    }

    private static Map<String, Object> shares(Map<String, Long> counts) {
        long total = counts.values().stream().mapToLong(Long::longValue).sum();
        Map<String, Object> values = new LinkedHashMap<>();
        counts.forEach((name, count) -> {
            Map<String, Object> share = new LinkedHashMap<>();
            share.put("count", count);
            share.put("share", Numbers.round((double) count / total, 6));
            values.put(name, share);
        });
        return values;
    }

    private static Map<String, Object> counts(Counts counts) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("total", counts.total());
        values.put("failed", counts.failed());
        values.put("late", counts.late());
        values.put("generator_errors", counts.generatorErrors());
        values.put("rate", counts.rate() == null ? null : (Double) Numbers.round(counts.rate(), 3));
        values.put("users", counts.users() == null ? null : (Double) Numbers.round(counts.users(), 3));
        values.put("by_kind", counts.byKind());
        values.put("by_answered_by", counts.byAnsweredBy());
        Map<String, Object> byStream = new LinkedHashMap<>();
        counts.byStream().forEach((stream, found) -> byStream.put(stream, stream(found)));
        values.put("by_stream", byStream);
        values.put("latency_ms", latency(counts.latency()));
        return values;
    }

    private static Map<String, Object> stream(Counts.StreamCounts counts) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("total", counts.total());
        values.put("failed", counts.failed());
        values.put("late", counts.late());
        return values;
    }

    private static Map<String, Object> latency(Latency latency) {
        if (latency == null) {
            return null;
        }
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("from_schedule", percentiles(latency.fromSchedule()));
        values.put("from_send", percentiles(latency.fromSend()));
        return values;
    }

    private static Map<String, Object> percentiles(Percentiles found) {
        if (found == null) {
            return null;
        }
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("p50", VerdictJson.milliseconds(found.p50Us()));
        values.put("p90", VerdictJson.milliseconds(found.p90Us()));
        values.put("p99", VerdictJson.milliseconds(found.p99Us()));
        values.put("max", VerdictJson.milliseconds(found.maxUs()));
        return values;
    }
}
