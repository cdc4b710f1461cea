package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.faults.StagedFault;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.text.Numbers;

/** The outage that the target file predicts for a fault; what theory predicts, {@code switchover report} knows. */
final class Foretold {

    private static final double MS = 1000;

    private Foretold() {}

    static FaultRun of(StagedFault staged) {
        FaultRun fault = staged.description();
        FaultRecipe.Window window = staged.recipe().predictS();
        if (window == null) {
            return fault;
        }
        return new FaultRun(
                fault.name(),
                fault.kind(),
                fault.master(),
                fault.backup(),
                fault.victim(),
                fault.masterSource(),
                Numbers.round(window.low() * MS, 3),
                Numbers.round(window.high() * MS, 3),
                "as the target file says",
                false,
                null,
                null,
                null);
    }
}
