package io.github.switchover.jmeter.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A run as it comes about, field by field. Not thread-safe. */
public final class RunBuilder {

    private final String id;
    private final String name;
    private Map<String, Object> versions = new LinkedHashMap<>();
    private List<String> command = List.of();
    private Map<String, Object> target = Map.of();
    private Map<String, Object> settings = Map.of();
    private Long seed;
    private PlanTimes plan = PlanTimes.NOTHING;
    private FaultRun fault;
    private List<Map<String, Object>> clocks = List.of();
    private Map<String, Object> generator = Map.of();
    private Map<String, Object> accessLogs = Map.of();
    private List<Map<String, Object>> workers = List.of();
    private List<String> parts = List.of();
    private List<String> warnings = List.of();
    private Map<String, Object> streaming;
    private List<String> truncated = List.of();

    RunBuilder(String id, String name) {
        this.id = id;
        this.name = name;
    }

    RunBuilder(Run run) {
        this(run.id(), run.name());
        versions = run.versions();
        command = run.command();
        target = run.target();
        settings = run.settings();
        seed = run.seed();
        plan = run.plan();
        fault = run.fault();
        clocks = run.clocks();
        generator = run.generator();
        accessLogs = run.accessLogs();
        workers = run.workers();
        parts = run.parts();
        warnings = run.warnings();
        streaming = run.streaming();
        truncated = run.truncated();
    }

    public Run build() {
        return new Run(
                id,
                name,
                versions,
                command,
                target,
                settings,
                seed,
                plan,
                fault,
                clocks,
                generator,
                accessLogs,
                workers,
                parts,
                warnings,
                streaming,
                truncated);
    }

    public RunBuilder versions(Map<String, Object> value) {
        versions = value;
        return this;
    }

    public RunBuilder command(List<String> value) {
        command = value;
        return this;
    }

    public RunBuilder target(Map<String, Object> value) {
        target = value;
        return this;
    }

    public RunBuilder settings(Map<String, Object> value) {
        settings = value;
        return this;
    }

    public RunBuilder seed(Long value) {
        seed = value;
        return this;
    }

    public RunBuilder plan(PlanTimes value) {
        plan = value;
        return this;
    }

    public RunBuilder fault(FaultRun value) {
        fault = value;
        return this;
    }

    public RunBuilder clocks(List<Map<String, Object>> value) {
        clocks = value;
        return this;
    }

    public RunBuilder generator(Map<String, Object> value) {
        generator = value;
        return this;
    }

    public RunBuilder accessLogs(Map<String, Object> value) {
        accessLogs = value;
        return this;
    }

    public RunBuilder workers(List<Map<String, Object>> value) {
        workers = value;
        return this;
    }

    public RunBuilder parts(List<String> value) {
        parts = value;
        return this;
    }

    public RunBuilder warnings(List<String> value) {
        warnings = value;
        return this;
    }

    public RunBuilder streaming(Map<String, Object> value) {
        streaming = value;
        return this;
    }

    public RunBuilder truncated(List<String> value) {
        truncated = value;
        return this;
    }

    /** One more warning, unless it was said already. */
    public RunBuilder warning(String text) {
        if (!warnings.contains(text)) {
            List<String> more = new ArrayList<>(warnings);
            more.add(text);
            warnings = more;
        }
        return this;
    }
}
