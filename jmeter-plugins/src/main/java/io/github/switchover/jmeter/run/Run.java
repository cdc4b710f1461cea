package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.NodeClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code run.json}. Every field is known when the run starts, except the plan's times and the accounts of its end. It is
 * made by name, with a {@link Builder}.
 *
 * @param versions of the programs, by name
 * @param command what the user typed
 * @param seed of what chose times at random; null: nothing did
 * @param fault null: none
 * @param generator the metronome's own account
 * @param accessLogs by node
 * @param workers the processes that made the load
 * @param parts names of the files that other processes and hosts were to write; a report says which of them are missing
 * @param streaming what became of the points that went to a database; null: they went nowhere
 * @param stopped why the run was stopped before its plan was done; empty: it was not
 * @param rehearsed everything but the fault was done, on purpose
 * @param truncated phases that were shorter than what the prediction and the clean window need
 */
public record Run(
        String id,
        String name,
        int schema,
        Map<String, String> versions,
        List<String> command,
        TargetFacts target,
        RunSettings settings,
        Long seed,
        PlanTimes plan,
        FaultRun fault,
        List<NodeClock> clocks,
        ProbeAccount generator,
        Map<String, AccessLogFacts> accessLogs,
        List<WorkerFacts> workers,
        List<String> parts,
        List<String> warnings,
        StreamedPoints streaming,
        String stopped,
        boolean rehearsed,
        List<String> truncated) {

    public static final int SCHEMA = 1;

    public Run {
        RunFile.require("id", id);
        RunFile.require("name", name);
        RunFile.require("plan", plan);
        versions = RunFile.copy(versions);
        command = RunFile.copy(command);
        target = target == null ? TargetFacts.UNKNOWN : target;
        settings = settings == null ? RunSettings.UNKNOWN : settings;
        clocks = RunFile.copy(clocks);
        generator = generator == null ? ProbeAccount.NONE : generator;
        accessLogs = RunFile.copy(accessLogs);
        workers = RunFile.copy(workers);
        parts = RunFile.copy(parts);
        warnings = RunFile.copy(warnings);
        stopped = stopped == null ? "" : stopped;
        truncated = RunFile.copy(truncated);
    }

    /** A run of which nothing else is known yet. */
    public static Run named(String id, String name) {
        return builder(id, name).build();
    }

    public static Builder builder(String id, String name) {
        return new Builder(id, name);
    }

    /** All of this run, to be changed. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    /** A run as it comes about, field by field. Not thread-safe. */
    public static final class Builder {

        private final String id;
        private final String name;
        private Map<String, String> versions = Map.of();
        private List<String> command = List.of();
        private TargetFacts target = TargetFacts.UNKNOWN;
        private RunSettings settings = RunSettings.UNKNOWN;
        private Long seed;
        private PlanTimes plan = PlanTimes.NOTHING;
        private FaultRun fault;
        private List<NodeClock> clocks = List.of();
        private ProbeAccount generator = ProbeAccount.NONE;
        private Map<String, AccessLogFacts> accessLogs = Map.of();
        private List<WorkerFacts> workers = List.of();
        private List<String> parts = List.of();
        private List<String> warnings = List.of();
        private StreamedPoints streaming;
        private String stopped = "";
        private boolean rehearsed;
        private List<String> truncated = List.of();

        private Builder(String id, String name) {
            this.id = id;
            this.name = name;
        }

        private Builder(Run run) {
            this(run.id, run.name);
            versions = run.versions;
            command = run.command;
            target = run.target;
            settings = run.settings;
            seed = run.seed;
            plan = run.plan;
            fault = run.fault;
            clocks = run.clocks;
            generator = run.generator;
            accessLogs = run.accessLogs;
            workers = run.workers;
            parts = run.parts;
            warnings = run.warnings;
            streaming = run.streaming;
            stopped = run.stopped;
            rehearsed = run.rehearsed;
            truncated = run.truncated;
        }

        public Run build() {
            return new Run(
                    id,
                    name,
                    SCHEMA,
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
                    stopped,
                    rehearsed,
                    truncated);
        }

        public Builder versions(Map<String, String> value) {
            versions = value;
            return this;
        }

        public Builder command(List<String> value) {
            command = value;
            return this;
        }

        public Builder target(TargetFacts value) {
            target = value;
            return this;
        }

        public Builder settings(RunSettings value) {
            settings = value;
            return this;
        }

        public Builder seed(Long value) {
            seed = value;
            return this;
        }

        public Builder plan(PlanTimes value) {
            plan = value;
            return this;
        }

        public Builder fault(FaultRun value) {
            fault = value;
            return this;
        }

        public Builder clocks(List<NodeClock> value) {
            clocks = value;
            return this;
        }

        public Builder generator(ProbeAccount value) {
            generator = value;
            return this;
        }

        public Builder accessLogs(Map<String, AccessLogFacts> value) {
            accessLogs = value;
            return this;
        }

        public Builder workers(List<WorkerFacts> value) {
            workers = value;
            return this;
        }

        public Builder parts(List<String> value) {
            parts = value;
            return this;
        }

        public Builder streaming(StreamedPoints value) {
            streaming = value;
            return this;
        }

        public Builder stopped(String value) {
            stopped = value;
            return this;
        }

        public Builder rehearsed(boolean value) {
            rehearsed = value;
            return this;
        }

        public Builder truncated(List<String> value) {
            truncated = value;
            return this;
        }

        /** One more warning, unless it was said already. */
        public Builder warning(String text) {
            if (!warnings.contains(text)) {
                List<String> more = new ArrayList<>(warnings);
                more.add(text);
                warnings = more;
            }
            return this;
        }
    }
}
