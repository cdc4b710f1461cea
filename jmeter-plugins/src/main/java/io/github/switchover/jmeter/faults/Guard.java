package io.github.switchover.jmeter.faults;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.command.CommandResult;
import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.core.ConsoleLine;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.Healer.HealPace;
import io.github.switchover.jmeter.faults.Staging.StagedFault;
import io.github.switchover.jmeter.faults.UndoList.Undo;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.target.Target.NodeClaim;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Fires a fault once, confirms it, and heals it in any case: {@code arm}, {@code fire}, {@code heal}, {@code close}.
 *
 * <p>Guarantee: from the start of the kill until the heal is proved, this process or the watchdog can heal. The
 * watchdog survives SIGKILL and SIGSTOP of this process; only a dead-man survives the end of this machine.
 *
 * <p>{@link #fire} and {@link #heal} may be called from different threads: a heal stops the wait for the confirmation.
 */
public final class Guard implements AutoCloseable {

    /** The method of a journal that this class needs: {@code journal::event}. */
    public interface EventSink {
        void event(EventKind kind, String text, long timeNs, String node, String id);
    }

    static final String FIRED_FILE = "fault.fired";

    private static final long KILL_LOOK_NS = 500_000_000;

    /** The longest time from the start of the checks to the kill. Older checks may not show the present state. */
    private static final double CHECKS_S = 4 * CommandRunner.COMMAND_TIMEOUT_S;

    private final GuardedFault fault;
    private final FaultRecipe recipe;
    private final RunClock clock;
    private final EventSink journal;
    private final Path directory;
    private final Proof proof;
    private final HealPace pace;

    /** The caller's lock on the target; null: this guard locks the target from {@link #arm} to {@link #close}. */
    private final @Nullable UndoList hold;

    private final CountDownLatch healingAsked = new CountDownLatch(1);
    private volatile @Nullable UndoList undo;
    private BooleanSupplier isGivenUp = () -> false;
    private boolean claimed;
    private volatile boolean fired;
    private volatile @Nullable Healing healing;
    private @Nullable String lastWords;

    /** {@code hold}: a lock of the caller, not released by {@link #close}. {@code directory}: the run directory. */
    public Guard(
            StagedFault staged,
            Target target,
            @Nullable UndoList hold,
            RunClock clock,
            EventSink journal,
            Path directory) {
        this(
                GuardedFault.of(
                        staged.recipe(),
                        staged.names(),
                        target,
                        directory.getFileName().toString()),
                hold,
                clock,
                journal,
                directory,
                Proof.USUAL,
                HealPace.USUAL);
    }

    /** {@code hold} is null if this guard locks the target itself, from {@link #arm} to {@link #close}. */
    Guard(
            GuardedFault fault,
            @Nullable UndoList hold,
            RunClock clock,
            EventSink journal,
            Path directory,
            Proof proof,
            HealPace pace) {
        this.fault = fault;
        this.pace = pace;
        this.hold = hold;
        recipe = fault.recipe();
        this.clock = clock;
        this.journal = journal;
        this.directory = directory;
        this.proof = proof;
    }

    /** A message about the watchdog after {@link #close}, if the watchdog had to heal the fault. */
    public @Nullable String lastWords() {
        return lastWords;
    }

    /** Refuses an invalid fault, gives the watchdog the commands that undo the fault, and claims the nodes. */
    public synchronized void arm() {
        if (!recipe.has(Step.VERIFY_DOWN)) {
            throw new FaultException(recipe.table() + " has no " + Step.VERIFY_DOWN.label()
                    + ", so nothing would prove the fault: add a command that exits with 0 while the fault is in"
                    + " force");
        }
        fault.requireNames();
        if (undo == null) {
            Undo undone = Undo.of(recipe, fault.claim());
            undo = hold == null ? UndoList.start(undone, directory, fault.lock()) : hold.take(undone);
            claim(undo);
        }
    }

    /** {@code isGivenUp}: called right before the kill; true: the kill is not started. */
    public synchronized Guard unless(BooleanSupplier isGivenUp) {
        this.isGivenUp = isGivenUp;
        return this;
    }

    /** Makes all steps before the kill, and throws FaultException if one refuses the fault. */
    public void dryRun() {
        requireArmed("is not dry run");
        requireStateBefore();
        if (recipe.has(Step.DISARM)) {
            Deadman.arm(recipe);
            Deadman.disarm(recipe);
        }
    }

    /**
     * Checks the state, arms the dead-man, kills, and confirms the fault, unless the result has an error.
     *
     * @param healWithinS the longest time from the confirmation to the heal; null: until the end of the test
     * @param checkedS the start of the caller's checks, by {@link RunClock#bootSeconds}
     * @throws FaultException if no fault was fired
     */
    public synchronized Firing fire(@Nullable Double healWithinS, double checkedS) {
        UndoList watching = requireArmed("does not fire");
        requireStateBefore();
        Deadman.arm(recipe);
        try {
            requireFreshChecks(checkedS);
            if (isGivenUp.getAsBoolean() || healingAsked.getCount() == 0) {
                throw new FaultException(recipe.name() + " does not fire: the test was stopped before");
            }
            claimFiring();
            watching.firing();
        } catch (FaultException refusal) {
            Deadman.disarm(recipe);
            throw refusal;
        }
        if (healWithinS != null) {
            watching.healWithin(healWithinS);
        }
        fired = true;
        AtomicLong beganUs = new AtomicLong(clock.nowUs());
        // Each beat restarts the time to the heal, so that the kill and the confirmation do not shorten this time.
        Runnable standBy = () -> watching.beat(healWithinS);
        CommandResult killed = CommandRunner.of(recipe, Step.KILL)
                .whileRunning(standBy)
                .stopEarly(killWatch(standBy))
                .runPrepared(group -> {
                    watching.killRuns(group);
                    beganUs.set(clock.nowUs());
                    String where = fault.master().isEmpty() ? "" : " on " + fault.master();
                    ConsoleLine.print("Switchover: " + recipe.name() + where + ": fired");
                });
        long toUs = clock.nowUs();
        watching.killDone();
        Firing firing = prove(killed, beganUs.get(), toUs, standBy);
        if (healWithinS != null) {
            watching.healWithin(healWithinS);
        }
        event(EventKind.FAULT, firing.error() == null ? recipe.name() + ": confirmed" : firing.error(), beganUs.get());
        return firing;
    }

    /** Ensures that only one process of a run fires: the process that creates the file in the run directory. */
    private void claimFiring() {
        Path path = directory.resolve(FIRED_FILE);
        try {
            Files.createFile(path);
        } catch (FileAlreadyExistsException error) {
            throw new FaultException(
                    recipe.name() + " does not fire: a fault was fired in this run already, as " + path + " shows",
                    error);
        } catch (IOException error) {
            throw new FaultException(
                    recipe.name() + " does not fire: cannot write " + path + ": " + Reason.of(error), error);
        }
    }

    /** Checks, from some time on, whether the fault is in force although the kill command has not ended. */
    private BooleanSupplier killWatch(Runnable standBy) {
        AtomicLong nextLookNs = new AtomicLong(System.nanoTime() + Units.ns(proof.killS()));
        return () -> {
            if (System.nanoTime() - nextLookNs.get() < 0) {
                return false;
            }
            boolean isDown = proof.isDownTwice(recipe, healingAsked, standBy);
            nextLookNs.set(System.nanoTime() + KILL_LOOK_NS);
            return isDown;
        };
    }

    /** Returns the reason why the fault did not last until now: a supervisor or a dead-man may have undone it. */
    public synchronized @Nullable String stillDown() {
        if (!fired || healing != null || !recipe.has(Step.HEAL)) {
            return null;
        }
        // The heal is due. The beats prevent that the watchdog takes this check for a hanging JVM.
        CommandResult result = proof.askWhetherDown(recipe, new CountDownLatch(1), requireNonNull(undo)::healing);
        if (result.isOk()) {
            return null;
        }
        String deadman =
                recipe.has(Step.DEADMAN) ? " (perhaps by its dead-man, or by the dead-man of an earlier drill)" : "";
        String what = result.hasAnswered()
                ? "the fault was over before the heal" + deadman
                : "it is unknown whether the fault lasted until the heal";
        return recipe.name() + ": " + what + ": " + result.of(recipe, Step.VERIFY_DOWN);
    }

    /** Signals the watchdog that this JVM is alive, while the fault is in force. Never waits. */
    public void beat() {
        UndoList watching = undo;
        if (watching != null && fired && healing == null) {
            watching.beat(null);
        }
    }

    /** Heals a fired fault, with retries, and checks the heal. Does nothing if nothing is to heal. */
    public Healing heal() {
        healingAsked.countDown();
        synchronized (this) {
            if (!fired) {
                long nowUs = clock.nowUs();
                return new Healing(nowUs, nowUs, null, null);
            }
            if (healing == null || healing.error() != null) {
                healing = new Healer(recipe, clock, pace, undo).heal();
                String problem = healing.error();
                event(
                        problem == null ? EventKind.HEAL : EventKind.WARNING,
                        problem == null ? recipe.name() + ": healed" : problem,
                        healing.fromUs());
                if (problem == null) {
                    disarm();
                }
            }
            return healing;
        }
    }

    /** Heals an open fault, releases the nodes and ends the watchdog, which continues a failed heal. */
    @Override
    public synchronized void close() {
        try {
            if (fired && healing == null) {
                heal();
            }
            if (!fired || (healing != null && healing.error() == null)) {
                release();
            }
        } finally {
            dismissWatchdog();
        }
    }

    private void disarm() {
        try {
            Deadman.disarm(recipe);
        } catch (FaultException problem) {
            event(EventKind.WARNING, problem.getMessage(), clock.nowUs());
        }
    }

    private UndoList requireArmed(String verb) {
        UndoList armed = undo;
        if (armed == null) {
            throw new FaultException(recipe.name() + " " + verb + ": it is not armed");
        }
        return armed;
    }

    /** Refuses the fault unless {@code verify_down} and {@code verify_healed} show that nothing is broken. */
    private void requireStateBefore() {
        String refusal = recipe.name() + " does not fire: ";
        for (Step step : List.of(Step.KILL, Step.HEAL)) {
            CommandResult problem =
                    recipe.has(step) ? CommandRunner.of(recipe, step).findProgramProblem() : null;
            if (problem != null) {
                throw new FaultException(refusal + problem.of(recipe, step));
            }
        }
        CommandResult down = CommandRunner.of(recipe, Step.VERIFY_DOWN).run();
        if (down.isOk()) {
            throw new FaultException(refusal + "its " + Step.VERIFY_DOWN.label()
                    + " succeeds before the kill, so it would prove nothing: " + down.of(recipe, Step.VERIFY_DOWN));
        }
        if (!down.hasAnswered()) {
            throw new FaultException(refusal + "its verify_down cannot run: " + down.of(recipe, Step.VERIFY_DOWN));
        }
        CommandResult healed = recipe.has(Step.VERIFY_HEALED)
                ? CommandRunner.of(recipe, Step.VERIFY_HEALED).run()
                : null;
        if (healed != null && !healed.isOk()) {
            throw new FaultException(refusal + "its verify_healed fails before the kill: the target is not healthy, or"
                    + " this command is wrong: " + healed.of(recipe, Step.VERIFY_HEALED));
        }
    }

    /** Refuses the fault if a suspension of this JVM or its machine made the checks too old. */
    private void requireFreshChecks(double beganS) {
        double pastS = RunClock.bootSeconds() - beganS;
        if (pastS > CHECKS_S) {
            throw new FaultException(recipe.name() + " does not fire: its preflight began " + Numbers.fixed(pastS, 0)
                    + " s ago, and may be out of date; was JMeter or its machine suspended? Run the drill again");
        }
    }

    private void claim(UndoList armed) {
        if (fault.claim() == null) {
            return;
        }
        armed.claimed();
        CommandResult result = CommandRunner.of(
                        fault.claim().claim(), fault.claim().variables())
                .run();
        if (!result.isOk()) {
            armed.released();
            throw new FaultException(recipe.name() + " does not fire: the command claim of [target] failed: " + result);
        }
        claimed = true;
    }

    private void release() {
        if (!claimed) {
            return;
        }
        claimed = false;
        NodeClaim held = requireNonNull(fault.claim());
        CommandResult result =
                CommandRunner.of(held.release(), held.variables()).run();
        if (!result.isOk()) {
            event(EventKind.WARNING, "the nodes are not released: [target] release: " + result, clock.nowUs());
        }
        requireNonNull(undo).released();
    }

    private void dismissWatchdog() {
        UndoList dismissed = undo;
        undo = null;
        if (hold != null && !fired) {
            return; // the watchdog still holds the lock on the target
        }
        if (dismissed == null) {
            return;
        }
        boolean isWell = dismissed.dismiss();
        if (healing == null || isWell == (healing.error() == null)) {
            return;
        }
        if (dismissed.hasDied()) {
            String unseen =
                    recipe.name() + ": " + dismissed.outlook() + "; nothing checked whether the fault stayed healed";
            event(EventKind.WARNING, unseen, clock.nowUs());
            return;
        }
        lastWords = isWell
                ? recipe.name() + ": finally healed by the watchdog"
                : recipe.name() + " IS NOT HEALED: it was in force again after its heal; " + dismissed.outlook() + "; "
                        + Healer.byHand(recipe);
        event(isWell ? EventKind.HEAL : EventKind.WARNING, lastWords, clock.nowUs());
    }

    /** Confirms the fault by {@code verify_down}. The kill's result proves nothing: a dead node ends its ssh, too. */
    private Firing prove(CommandResult killed, long fromUs, long toUs, Runnable standBy) {
        String name = recipe.name();
        if (killed.isNotStarted()) {
            return new Firing(fromUs, toUs, null, name + " was not fired: " + killed.of(recipe, Step.KILL));
        }
        Proof.Confirmation confirmation = proof.confirmDown(recipe, healingAsked, standBy);
        if (confirmation.atNs() != null) {
            String contradiction = contradictingProof(standBy);
            Long confirmedUs = Math.floorDiv(clock.fromNanoTime(confirmation.atNs()), Units.NS_PER_US);
            return new Firing(fromUs, toUs, contradiction == null ? confirmedUs : null, contradiction);
        }
        String blame = killed.isOk() ? "" : "; the kill command did not succeed: " + killed.of(recipe, Step.KILL);
        return new Firing(fromUs, toUs, null, name + " is not confirmed: " + confirmation.problem() + blame);
    }

    /** Returns an error if {@code verify_healed} succeeds during the fault, because it then could not prove a heal. */
    private @Nullable String contradictingProof(Runnable standBy) {
        if (!recipe.has(Step.VERIFY_HEALED) || FaultTraits.of(recipe.name()).healsItself()) {
            return null;
        }
        CommandResult healed = CommandRunner.of(recipe, Step.VERIFY_HEALED)
                .whileRunning(standBy)
                .run();
        return healed.isOk()
                ? recipe.name() + " is not confirmed: verify_down succeeds, and so does "
                        + healed.of(recipe, Step.VERIFY_HEALED)
                        + "; one of the two commands does not check the effect of the fault"
                : null;
    }

    private void event(EventKind kind, String text, long atUs) {
        journal.event(kind, text, atUs * Units.NS_PER_US, fault.master(), "");
        ConsoleLine.print("Switchover: " + text);
    }

    /** The kill as an interval in epoch µs. {@code confirmedUs}: the first successful {@code verify_down}. */
    public record Firing(
            long fromUs,
            long toUs,
            @Nullable Long confirmedUs,
            @Nullable String error) {}

    /** The heal as an interval in epoch µs. {@code healedUs}: its proof; null if not healed, or nothing was fired. */
    public record Healing(
            long fromUs,
            long toUs,
            @Nullable Long healedUs,
            @Nullable String error) {}
}
