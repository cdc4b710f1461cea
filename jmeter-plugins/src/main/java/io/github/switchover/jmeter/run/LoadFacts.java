package io.github.switchover.jmeter.run;

import com.google.gson.JsonObject;
import io.github.switchover.jmeter.core.Inline;
import io.github.switchover.jmeter.core.NodeClock;
import io.github.switchover.jmeter.core.Seal;
import java.util.List;
import java.util.Map;

/**
 * What a load generator says of the load that it made: once when its users run, and again when they have ended.
 *
 * @param state {@link #RUNNING} from when all users are there, {@link #ENDED} when nothing more is recorded
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

    /**
     * The files that a load wrote into the run directory.
     *
     * @param seals of the files that were closed in order, as run.json has them
     */
    public record LoadFiles(List<String> parts, Map<String, List<Seal>> seals) {}
}
