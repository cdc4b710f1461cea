package io.github.switchover.jmeter.run;

import com.google.gson.JsonObject;
import io.github.switchover.jmeter.core.Inline;
import io.github.switchover.jmeter.core.NodeClock;
import io.github.switchover.jmeter.core.Seal;
import java.util.List;
import java.util.Map;

/**
 * What a load generator says of the load that it made. It says so when its users run, and again when they have ended.
 *
 * @param state {@link #RUNNING} from when all users are there, {@link #ENDED} when nothing more is recorded
 * @param files that the load has written
 * @param workers the processes that made it
 * @param clocks of the workers
 * @param settings of the clients and the load, by the names of this generator
 */
public record LoadFacts(
        String state,
        String generator,
        @Inline LoadFiles files,
        List<WorkerFacts> workers,
        List<NodeClock> clocks,
        JsonObject settings,
        List<String> warnings) {

    public static final String RUNNING = "running";
    public static final String ENDED = "ended";

    public LoadFacts {
        RunFile.require("state", state);
        RunFile.require("generator", generator);
        workers = RunFile.copy(workers);
        clocks = RunFile.copy(clocks);
        settings = settings == null ? new JsonObject() : settings;
        warnings = RunFile.copy(warnings);
    }

    /**
     * Its files.
     *
     * @param parts those that belong into the run directory
     * @param seals of those that were closed in order, as run.json has them
     */
    public record LoadFiles(List<String> parts, Map<String, List<Seal>> seals) {

        public LoadFiles {
            parts = RunFile.copy(parts);
            seals = RunFile.copy(seals);
        }
    }
}
