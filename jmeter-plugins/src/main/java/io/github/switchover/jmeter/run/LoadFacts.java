package io.github.switchover.jmeter.run;

import com.google.gson.JsonObject;
import io.github.switchover.jmeter.core.NodeClock;
import java.util.List;

/**
 * What a load generator says of the load that it made. It says so when its users run, and again when they have ended.
 *
 * @param state {@link #RUNNING} from when all users are there, {@link #ENDED} when nothing more is recorded
 * @param parts files of this load that belong into the run directory
 * @param workers the processes that made it
 * @param clocks of the workers
 * @param settings of the clients and the load, by the names of this generator
 */
public record LoadFacts(
        String state,
        String generator,
        List<String> parts,
        List<WorkerFacts> workers,
        List<NodeClock> clocks,
        JsonObject settings,
        List<String> warnings) {

    public static final String RUNNING = "running";
    public static final String ENDED = "ended";

    public LoadFacts {
        RunFile.require("state", state);
        RunFile.require("generator", generator);
        parts = RunFile.copy(parts);
        workers = RunFile.copy(workers);
        clocks = RunFile.copy(clocks);
        settings = settings == null ? new JsonObject() : settings;
        warnings = RunFile.copy(warnings);
    }
}
