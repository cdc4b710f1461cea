package io.github.switchover.jmeter.run;

import java.util.List;
import java.util.Map;

/**
 * What a load generator says of the load that it made, for the run that it was made in. It says so when its users run,
 * and again when they have ended. Maps hold plain JSON values, in their order.
 *
 * @param state {@link #RUNNING} from when all users are there, {@link #ENDED} when nothing more is recorded
 * @param parts files of this load that belong into the run directory
 * @param workers the processes that made it: {worker, host, part, here, samples, points, lost, joined, ended, offset_us,
 *     bound_us}; {@code joined} is start or late, {@code ended} stopped or {@link #LOST}
 * @param clocks as in {@link Run}, where the node is a worker
 * @param settings of the clients and the load: users, timeouts, plan, versions
 */
public record LoadFacts(
        String state,
        String generator,
        List<String> parts,
        List<Map<String, Object>> workers,
        List<Map<String, Object>> clocks,
        Map<String, Object> settings,
        List<String> warnings) {

    public static final String RUNNING = "running";
    public static final String ENDED = "ended";

    /** How a worker ended that went away without a word. */
    public static final String LOST = "lost";
}
