package io.github.switchover.jmeter.run;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * {@code run.json}. Every field is known when the run starts, except the plan's times and the accounts of its end. Maps
 * hold plain JSON values, in their order.
 *
 * @param target the target file's facts that the analysis needs, without secrets
 * @param settings client settings: probe_rate, timeout_connect_ms, timeout_read_ms, late_ms, budgets, generator, …
 * @param seed null: none
 * @param fault null: none
 * @param clocks per node: {node, when (before, after), offset_us, bound_us}
 * @param generator the metronome's own account: scheduled, recorded, unsent, lag_p50_ms, lag_p99_ms, cpu_percent
 * @param accessLogs per node what its access log grew by
 * @param workers the processes that made the load
 * @param parts names of the files that other processes and hosts were to write; a report says which of them are missing
 * @param streaming what became of the points that went to a database when the run ended: {to, points, refused, left, why};
 *     null: they went nowhere
 * @param truncated phases that were chosen shorter than what the prediction and the clean window need
 */
public record Run(
        String id,
        String name,
        Map<String, Object> versions,
        List<String> command,
        Map<String, Object> target,
        Map<String, Object> settings,
        Long seed,
        PlanTimes plan,
        FaultRun fault,
        List<Map<String, Object>> clocks,
        Map<String, Object> generator,
        Map<String, Object> accessLogs,
        List<Map<String, Object>> workers,
        List<String> parts,
        List<String> warnings,
        Map<String, Object> streaming,
        List<String> truncated) {

    public Run {
        versions = copy(versions);
        command = List.copyOf(command);
        target = copy(target);
        settings = copy(settings);
        clocks = clocks.stream().map(Run::copy).toList();
        generator = copy(generator);
        accessLogs = copy(accessLogs);
        workers = workers.stream().map(Run::copy).toList();
        parts = List.copyOf(parts);
        warnings = List.copyOf(warnings);
        streaming = streaming == null ? null : copy(streaming);
        truncated = List.copyOf(truncated);
    }

    /** A run of which nothing else is known yet. */
    public static Run named(String id, String name) {
        return builder(id, name).build();
    }

    public static RunBuilder builder(String id, String name) {
        return new RunBuilder(id, name);
    }

    /** All of this run, to be changed. */
    public RunBuilder toBuilder() {
        return new RunBuilder(this);
    }

    private static Map<String, Object> copy(Map<String, Object> map) {
        return Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }
}
