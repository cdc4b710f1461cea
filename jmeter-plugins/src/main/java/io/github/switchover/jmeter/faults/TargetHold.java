package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.faults.UndoList.Undo;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The lock that prevents other runs on this machine from using a target, until it is closed or this JVM ends.
 *
 * <p>A watchdog process holds the lock, and after a fault also the commands to undo it. Thread-safe.
 */
public final class TargetHold implements AutoCloseable {

    private final UndoList undo;

    /** Creates a hold without a lock; {@link #take} creates a hold with a lock. */
    TargetHold(UndoList undo) {
        this.undo = undo;
    }

    /** Locks the target. Throws FaultException with the name of the other run if another run has locked the target. */
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

    /** Gives the watchdog the commands that undo a fault. */
    UndoList handOver(Undo undone) {
        undo.take(undone);
        return undo;
    }

    /** Releases the target. If a fault is not healed, the watchdog heals it first. */
    @Override
    public void close() {
        undo.close();
    }
}
