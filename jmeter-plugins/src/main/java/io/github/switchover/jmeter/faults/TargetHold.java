package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.faults.UndoList.Undo;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A target that is kept from other runs on this machine, until this is closed or this JVM has died. A watchdog holds
 * the target's lock, and then also the undo list of the fired fault. Thread-safe.
 */
public final class TargetHold implements AutoCloseable {

    private final UndoList undo;

    /** {@link #take} makes one that has a lock. */
    TargetHold(UndoList undo) {
        this.undo = undo;
    }

    /**
     * Takes the target, or throws with the name of the run that has it.
     *
     * @param fault the fault to be fired, for messages
     * @param directory the run's
     * @throws FaultException if another run has it
     */
    public static TargetHold take(Target target, String fault, Path directory) {
        Stream<List<String>> ofFaults = target.faults().values().stream().map(recipe -> recipe.variables());
        Stream<List<String>> ofClaim = Stream.ofNullable(target.claim()).map(claim -> claim.variables());
        List<String> variables = Stream.concat(ofFaults, ofClaim)
                .flatMap(List::stream)
                .distinct()
                .toList();
        TargetLock lock = TargetLock.of(target, directory.getFileName().toString());
        return new TargetHold(UndoList.start(fault, directory, lock, variables));
    }

    /** Gives the watchdog the commands that undo this fault. */
    UndoList handOver(Undo undone) {
        undo.take(undone);
        return undo;
    }

    /** Releases the target, once the fault is healed. */
    @Override
    public void close() {
        undo.close();
    }
}
