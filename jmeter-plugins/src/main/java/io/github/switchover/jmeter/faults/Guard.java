package io.github.switchover.jmeter.faults;

import io.github.switchover.jmeter.command.CommandResult;
import io.github.switchover.jmeter.command.Execution;
import io.github.switchover.jmeter.core.ConsoleLine;
import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.target.FaultRecipe;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Fires a fault once, proves it, and heals it in any case: {@code arm}, {@code fire}, {@code heal}, {@code close}.
 *
 * <p>The guarantee, and where it ends: from the moment that the kill is started until the heal is proved, either this
 * process or the watchdog is there to heal; the watchdog survives everything that ends this process, SIGKILL included.
 * It does not survive the end of this machine, or a kill of every process on it: then a dead-man on the node is what is
 * left.
 *
 * <p>{@link #fire} and {@link #heal} may be called from different threads: a heal cuts the waiting for the fault's proof
 * short. {@link #close} heals what is not healed.
 */
public final class Guard implements AutoCloseable {

    private static final long NS_PER_US = 1000;

    private final FaultRecipe recipe;
    private final RunClock clock;
    private final EventSink journal;
    private final boolean armed;
    private final String master;
    private final Path directory;
    private final Proof proof;
    private final Lock lock = new ReentrantLock();
    private final CountDownLatch healingAsked = new CountDownLatch(1);
    private UndoList undo;
    private boolean fired;
    private Healing healing;
    private String mended;

    /** {@code names} are what {@code {master}} and {@code {backup}} stand for, known or empty; {@code directory} is the run's. */
    public Guard(
            FaultRecipe recipe,
            RunClock clock,
            EventSink journal,
            boolean armed,
            Map<String, String> names,
            Path directory) {
        this(recipe, clock, journal, armed, names, directory, Proof.USUAL);
    }

    Guard(
            FaultRecipe recipe,
            RunClock clock,
            EventSink journal,
            boolean armed,
            Map<String, String> names,
            Path directory,
            Proof proof) {
        this.recipe = recipe.filledIn(names);
        this.clock = clock;
        this.journal = journal;
        this.armed = armed;
        master = names.getOrDefault("master", "");
        this.directory = directory;
        this.proof = proof;
    }

    /** After {@link #close}: that the watchdog mended what {@link #heal} could not; null if it did not. */
    public String mended() {
        return mended;
    }

    /** Whether the kill was started. */
    public boolean hasFired() {
        lock.lock();
        try {
            return fired;
        } finally {
            lock.unlock();
        }
    }

    /** Refuses what cannot be meant, and starts the watchdog. */
    public void arm() {
        if (!armed) {
            throw new FaultException(
                    recipe.name() + " is not armed: add " + Staging.OPTION + " to fire at a target that is not a lab");
        }
        if (recipe.verifyDown() == null) {
            throw new FaultException("[fault." + recipe.name() + "] has no verify_down, so nothing would prove that it"
                    + " happened: add a command that exits with 0 once it has");
        }
        for (String name : List.of("master", "backup")) {
            if (recipe.mentions("{" + name + "}")) {
                throw new FaultException(
                        recipe.name() + " does not fire: it needs {" + name + "}, and the " + name + " is not known");
            }
        }
        lock.lock();
        try {
            if (undo == null) {
                undo = UndoList.start(recipe.name(), directory, recipe.heal(), recipe.verifyHealed());
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Arms the dead-man, kills, and proves it. A {@link Firing} with an {@code error} is one gone wrong.
     *
     * @throws FaultException when nothing was fired
     */
    public Firing fire() {
        lock.lock();
        try {
            if (undo == null) {
                throw new FaultException(recipe.name() + " does not fire: it is not armed");
            }
            requireStateBefore();
            Deadman.arm(recipe);
            Claim.take(directory, recipe.name());
            undo.firing();
            fired = true;
            AtomicLong beganUs = new AtomicLong(clock.nowUs());
            CommandResult killed = Execution.runPrepared(recipe.kill(), group -> {
                undo.killRuns(group);
                beganUs.set(clock.nowUs());
                ConsoleLine.print("Switchover: " + recipe.name() + onMaster() + ": fired");
            });
            long fromUs = beganUs.get();
            long toUs = clock.nowUs();
            undo.killDone();
            Firing firing = prove(killed, fromUs, toUs);
            event(EventKind.FAULT, firing.error() == null ? recipe.name() + ": confirmed" : firing.error(), fromUs);
            return firing;
        } finally {
            lock.unlock();
        }
    }

    /** Refuses unless the backup is fit to take over, and the fault's own proofs say that nothing is broken yet. */
    private void requireStateBefore() {
        Claim.requireFree(directory, recipe.name());
        String refusal = recipe.name() + " does not fire: ";
        if (recipe.ready() != null) {
            CommandResult ready = Execution.run(recipe.ready());
            if (!ready.isOk()) {
                throw new FaultException(refusal + "the backup is not fit to take over: " + ready.of(recipe, "ready"));
            }
        }
        CommandResult down = Execution.run(recipe.verifyDown());
        if (down.isOk()) {
            throw new FaultException(refusal + "its verify_down succeeds before the kill, so it would prove nothing: "
                    + down.of(recipe, "verify_down"));
        }
        CommandResult healed = recipe.verifyHealed() == null ? null : Execution.run(recipe.verifyHealed());
        if (healed != null && !healed.isOk()) {
            throw new FaultException(refusal + "its verify_healed fails before the kill; the target is not well, or"
                    + " that command cannot tell: " + healed.of(recipe, "verify_healed"));
        }
    }

    /** Null, or why the fault did not last until now: a slow supervisor or a dead-man may have undone it. */
    public String stillDown() {
        lock.lock();
        try {
            if (!fired || healing != null || recipe.heal() == null) {
                return null;
            }
            CommandResult outcome = Execution.run(recipe.verifyDown());
            return outcome.isOk()
                    ? null
                    : recipe.name() + ": it was up again before the heal: " + outcome.of(recipe, "verify_down");
        } finally {
            lock.unlock();
        }
    }

    /** Undoes it, and proves that. Harmless when nothing was fired or all is healed; a failed heal is tried again. */
    public Healing heal() {
        healingAsked.countDown();
        lock.lock();
        try {
            if (!fired) {
                long nowUs = clock.nowUs();
                return new Healing(nowUs, nowUs, null, null);
            }
            if (healing == null || healing.error() != null) {
                healing = new Healer(recipe, clock, proof).heal(undo);
                boolean failed = healing.error() != null;
                event(
                        failed ? EventKind.WARNING : EventKind.HEAL,
                        failed ? healing.error() : recipe.name() + ": healed",
                        healing.fromUs());
            }
            return healing;
        } finally {
            lock.unlock();
        }
    }

    /** Heals what is not healed, and dismisses the watchdog; where the heal failed, it is given time to try on. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (fired && healing == null) {
                heal();
            }
        } finally {
            dismissWatchdog();
            lock.unlock();
        }
    }

    private void dismissWatchdog() {
        UndoList dismissed = undo;
        undo = null;
        if (dismissed != null && dismissed.dismiss() && healing != null && healing.error() != null) {
            mended = recipe.name() + ": healed by the watchdog in the end";
            event(EventKind.HEAL, mended, clock.nowUs());
        }
    }

    /** What the kill command says is not what happened: a node that goes down takes its own ssh with it. */
    private Firing prove(CommandResult killed, long fromUs, long toUs) {
        String name = recipe.name();
        if (killed.isNotStarted()) {
            return new Firing(fromUs, toUs, null, name + " was not fired: " + killed.of(recipe, "kill"));
        }
        Proof.Confirmation confirmation = proof.confirmDown(recipe.verifyDown(), healingAsked);
        if (confirmation.atNs() != null) {
            return new Firing(fromUs, toUs, Math.floorDiv(clock.fromNanoTime(confirmation.atNs()), NS_PER_US), null);
        }
        String blame = killed.isOk() ? "" : "; its kill did not succeed: " + killed.of(recipe, "kill");
        return new Firing(fromUs, toUs, null, name + " is not confirmed: " + confirmation.problem() + blame);
    }

    private void event(EventKind kind, String text, long atUs) {
        journal.event(kind, text, atUs * NS_PER_US, master, "");
        ConsoleLine.print("Switchover: " + text);
    }

    private String onMaster() {
        return master.isEmpty() ? "" : " on " + master;
    }
}
