package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Inline;
import io.github.switchover.jmeter.core.LeftOut;
import io.github.switchover.jmeter.core.NodeClock;
import io.github.switchover.jmeter.core.Seal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * {@code run.json}. Every field is known when the run starts, except the plan's times and what its end tells.
 *
 * @param fault null: none
 * @param change what the plan's changes are; null: none was to be made
 */
public record Run(
        @Inline RunStart start,
        TargetFacts target,
        RunSettings settings,
        PlanTimes plan,
        FaultRun fault,
        @LeftOut FaultRun change,
        @Inline Evidence evidence,
        @Inline Ending ending) {

    public static final int SCHEMA = 2;

    /**
     * What was started.
     *
     * @param versions of the programs, by name
     * @param command what the user typed
     * @param seed of what chose times at random; null: nothing did
     */
    public record RunStart(
            String id, String name, int schema, Map<String, String> versions, List<String> command, Long seed) {

        public RunStart {
            RunFile.require("id", id);
            RunFile.require("name", name);
            versions = RunFile.copy(versions);
            command = RunFile.copy(command);
        }
    }

    /**
     * What its parts tell of themselves.
     *
     * @param generator the prober's own account
     * @param accessLogs by node
     * @param workers the processes that made the load
     * @param parts names of the files that other processes and hosts were to write; a report says which of them are missing
     * @param seals by file that was closed in order, one for each writer; what was killed has none
     */
    public record Evidence(
            List<NodeClock> clocks,
            ProbeAccount generator,
            Map<String, AccessLogFacts> accessLogs,
            List<WorkerFacts> workers,
            List<String> parts,
            Map<String, List<Seal>> seals) {

        static final Evidence NONE = new Evidence(null, null, null, null, null, null);

        public Evidence {
            clocks = RunFile.copy(clocks);
            generator = generator == null ? ProbeAccount.NONE : generator;
            accessLogs = RunFile.copy(accessLogs);
            workers = RunFile.copy(workers);
            parts = RunFile.copy(parts);
            seals = RunFile.copy(seals);
        }

        /** With more readings of clocks. */
        public Evidence with(List<NodeClock> more) {
            return new Evidence(joined(clocks, more), generator, accessLogs, workers, parts, seals);
        }

        public Evidence with(ProbeAccount account) {
            return new Evidence(clocks, account, accessLogs, workers, parts, seals);
        }

        public Evidence withAccessLogs(Map<String, AccessLogFacts> facts) {
            return new Evidence(clocks, generator, facts, workers, parts, seals);
        }

        /** With the processes of a load; what is known already stays where the load does not name it. */
        public Evidence withWorkers(List<WorkerFacts> facts) {
            Set<String> named = facts.stream().map(one -> one.origin().worker()).collect(Collectors.toSet());
            List<WorkerFacts> others = workers.stream()
                    .filter(one -> !named.contains(one.origin().worker()))
                    .toList();
            return new Evidence(clocks, generator, accessLogs, joined(facts, others), parts, seals);
        }

        /** With more parts; each stands there once. */
        public Evidence withParts(List<String> names) {
            List<String> more = names.stream()
                    .filter(name -> !parts.contains(name))
                    .distinct()
                    .toList();
            return new Evidence(clocks, generator, accessLogs, workers, joined(parts, more), seals);
        }

        /** With more seals, each behind those that its file has. */
        public Evidence withSeals(Map<String, List<Seal>> more) {
            Map<String, List<Seal>> all = new LinkedHashMap<>(seals);
            more.forEach((name, stretches) -> all.merge(name, stretches, Run::joined));
            return new Evidence(clocks, generator, accessLogs, workers, parts, all);
        }
    }

    /**
     * What became of it.
     *
     * @param streaming what became of the points that went to a database; null: they went nowhere
     * @param stopped why the run was stopped before its plan was done; empty: it was not
     * @param dryRun everything but the fault was done, on purpose
     * @param truncated phases that were shorter than what the prediction and the stability window need
     */
    public record Ending(
            List<String> warnings, StreamedPoints streaming, String stopped, boolean dryRun, List<CutPhase> truncated) {

        static final Ending OPEN = new Ending(null, null, null, false, null);

        public Ending {
            warnings = RunFile.copy(warnings);
            stopped = stopped == null ? "" : stopped;
            truncated = RunFile.copy(truncated);
        }

        /** With one more warning, unless it was said already. */
        public Ending withWarning(String text) {
            List<String> more = warnings.contains(text) ? List.of() : List.of(text);
            return new Ending(joined(warnings, more), streaming, stopped, dryRun, truncated);
        }

        public Ending with(StreamedPoints points) {
            return new Ending(warnings, points, stopped, dryRun, truncated);
        }

        public Ending stopped(String why) {
            return new Ending(warnings, streaming, why, dryRun, truncated);
        }

        public Ending asDryRun() {
            return new Ending(warnings, streaming, stopped, true, truncated);
        }

        public Ending truncated(List<CutPhase> phases) {
            return new Ending(warnings, streaming, stopped, dryRun, phases);
        }
    }

    public Run {
        RunFile.require("plan", plan);
        target = target == null ? TargetFacts.UNKNOWN : target;
        settings = settings == null ? RunSettings.UNKNOWN : settings;
    }

    /** A run of which nothing else is known yet. */
    public static Run named(String id, String name) {
        return begun(new RunStart(id, name, SCHEMA, null, null, null), null, null);
    }

    /** A run of which nothing has happened yet. */
    public static Run begun(RunStart start, TargetFacts target, RunSettings settings) {
        return new Run(start, target, settings, PlanTimes.NOTHING, null, null, Evidence.NONE, Ending.OPEN);
    }

    public String id() {
        return start.id;
    }

    public String name() {
        return start.name;
    }

    public Run with(TargetFacts other) {
        return new Run(start, other, settings, plan, fault, change, evidence, ending);
    }

    public Run with(RunSettings other) {
        return new Run(start, target, other, plan, fault, change, evidence, ending);
    }

    public Run with(PlanTimes other) {
        return new Run(start, target, settings, other, fault, change, evidence, ending);
    }

    public Run with(FaultRun other) {
        return new Run(start, target, settings, plan, other, change, evidence, ending);
    }

    /** In which this change is made, once or many times. */
    public Run changing(FaultRun other) {
        return new Run(start, target, settings, plan, fault, other, evidence, ending);
    }

    public Run with(Evidence other) {
        return new Run(start, target, settings, plan, fault, change, other, ending);
    }

    public Run with(Ending other) {
        return new Run(start, target, settings, plan, fault, change, evidence, other);
    }

    private static <T> List<T> joined(List<T> known, List<T> more) {
        List<T> all = new ArrayList<>(known);
        all.addAll(more);
        return all;
    }
}
