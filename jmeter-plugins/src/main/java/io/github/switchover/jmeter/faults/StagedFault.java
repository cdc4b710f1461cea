package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.target.FaultRecipe;
import java.util.Map;

/**
 * A fault that is ready to be armed.
 *
 * @param recipe its commands, the names of the nodes not filled in
 * @param names what {@code {master}} and {@code {backup}} stand for now, or empty
 * @param description as run.json has it, but for what theory predicts, which {@code switchover report} knows
 */
public record StagedFault(FaultRecipe recipe, Map<String, String> names, FaultRun description) {

    public StagedFault {
        names = Map.copyOf(names);
    }
}
