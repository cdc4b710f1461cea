package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.BootTime;
import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.FaultException;
import io.github.switchover.jmeter.faults.FaultTraits;
import io.github.switchover.jmeter.faults.Firing;
import io.github.switchover.jmeter.faults.Guard;
import io.github.switchover.jmeter.faults.Healing;
import io.github.switchover.jmeter.faults.StagedFault;
import io.github.switchover.jmeter.faults.Staging;
import io.github.switchover.jmeter.metronome.Metronome;
import io.github.switchover.jmeter.run.ChangeRun;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.target.FaultRecipe.Step;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * The changes of a run: each made, proved, waited for and taken back, one at a time, and written down as it happens.
 * Thread-safe.
 *
 * <p>Nothing here tells of the connections that are open, so all of its time belongs to a change.
 */
final class ChangeControl {

    /** How much later than planned a change may be taken back before the watchdog does it. */
    private static final double UNDO_LATE_S = 15;

    /** How long the address may take to be back at the master after a move was taken back. */
    private static final double BACK_S = 10;

    /** A change that was taken back is looked at for so long. */
    private static final double SETTLE_S = 1;

    private static final long TICK_NS = 100_000_000;

    private final DrillSettings settings;
    private final RunRecord record;
    private final RunClock clock;
    private final Telemetry telemetry;
    private final Metronome metronome;
    private final CountDownLatch stopped;
    private final RunMessages notes;
    private final FaultControl fault;
    private final Staging staging;
    private volatile Guard guard;

    ChangeControl(RunParts parts, FaultControl fault) {
        settings = parts.settings();
        record = parts.record();
        clock = parts.clock();
        telemetry = parts.telemetry();
        metronome = parts.metronome();
        stopped = parts.stopped();
        notes = parts.notes();
        this.fault = fault;
        staging = Staging.ofChanges(settings.target());
    }

    /** How many were made. */
    int count() {
        return record.plan().changesMade().size();
    }

    /**
     * Makes one, waits until its time is over, and takes it back.
     *
     * @param everyS its time: from its command to where the next one may be made
     * @param waits gets what only waits
     * @param isGivenUp asked while it waits; true: it is taken back at once
     * @return null where it was only rehearsed; not settled where it was given up, or the run ended, before that
     * @throws FaultException in one line when it was not made, or went wrong; what was made is taken back
     */
    synchronized ChangeRun make(String name, double everyS, Consumer<Runnable> waits, BooleanSupplier isGivenUp) {
        try {
            if (isOver(isGivenUp)) {
                throw new FaultException(name + " is not made: the run is over");
            }
            StagedFault staged = stage(name);
            fault.requireHold(name);
            try (Guard ofThis = Guard.ofChange(staged, settings.target(), clock, this::event, record.directory())) {
                ofThis.arm();
                if (settings.firing().rehearsed()) {
                    Rehearsal.of(
                            name,
                            () -> BackupCheck.require(staged, staging, settings, telemetry),
                            ofThis,
                            record,
                            notes);
                    return null;
                }
                guard = ofThis;
                return makeAndUndo(ofThis, staged, everyS, waits, isGivenUp);
            } finally {
                guard = null;
            }
        } catch (FaultException error) {
            notes.say(error.getMessage());
            throw error;
        }
    }

    /** Tells the watchdog that the run goes on. Never waits. */
    void beat() {
        Guard beating = guard;
        if (beating != null) {
            beating.beat();
        }
    }

    /** Takes back what is made now, in any state of the run. */
    void undo() {
        Guard undoing = guard;
        if (undoing != null) {
            undoing.heal();
        }
    }

    private StagedFault stage(String name) {
        if (record.plan().firedFromUs() != null) {
            throw new FaultException(name + " is not made: " + record.fault().name()
                    + " was fired in this run: one run has one of both");
        }
        FaultRun described = record.run().change();
        if (described != null && !described.name().equals(name)) {
            throw new FaultException(name + " is not made: this run makes " + described.name());
        }
        StagedFault staged = staging.stage(name, settings.firing().armingToStage(), telemetry.owners());
        if (metronome != null && described == null) {
            new TargetHealth(settings.target(), metronome, stopped).require();
        }
        if (described == null && !staged.recipe().has(Step.HEAL)) {
            notes.tell(name + " cannot be taken back: [change." + name + "] has no undo");
        }
        record.change(run -> run.changing(
                staged.description().withWitnesses(FaultTraits.of(name).witnesses())));
        return staged;
    }

    private ChangeRun makeAndUndo(
            Guard ofThis, StagedFault staged, double everyS, Consumer<Runnable> waits, BooleanSupplier isGivenUp) {
        double checkedS = BootTime.seconds();
        BackupCheck.require(staged, staging, settings, telemetry);
        long dueNs = System.nanoTime() + Units.ns(everyS);
        boolean isUndone = staged.recipe().has(Step.HEAL)
                && !FaultTraits.of(staged.recipe().name()).healsItself();
        Firing firing = ofThis.fire(everyS + UNDO_LATE_S, checkedS);
        ChangeRun made = ChangeRun.made(
                count() + 1,
                new ChangeRun.Making(firing.fromUs(), firing.toUs(), firing.confirmedUs(), null),
                firing.error());
        keep(made);
        long untilNs = dueNs - (isUndone ? Units.ns(everyS / 2) : 0);
        if (firing.error() == null) {
            waits.accept(() -> waitUntil(untilNs, isGivenUp));
        }
        boolean isSeen = System.nanoTime() - untilNs >= 0;
        made = undo(ofThis, made, isUndone);
        if (made.error() == null && isSeen) {
            made = isUndone ? waitUntilBack(staged, made, dueNs, waits, isGivenUp) : made.settled(clock.nowUs());
        }
        if (made.error() == null) {
            ofThis.allowAnother();
            waits.accept(() -> waitUntil(dueNs, isGivenUp));
        }
        keep(made);
        return require(made);
    }

    private ChangeRun undo(Guard ofThis, ChangeRun made, boolean isUndone) {
        Healing healing = ofThis.heal();
        ChangeRun undone = isUndone
                ? made.undone(new ChangeRun.Undoing(healing.fromUs(), healing.toUs(), healing.healedUs()))
                : made;
        undone = healing.error() == null ? undone : undone.blamed(healing.error());
        keep(undone);
        return undone;
    }

    /** After the undo; where the address had moved, until it is back. Given up before, it has not settled. */
    private ChangeRun waitUntilBack(
            StagedFault staged, ChangeRun made, long dueNs, Consumer<Runnable> waits, BooleanSupplier isGivenUp) {
        long beganNs = System.nanoTime();
        long settledNs = beganNs + Units.ns(SETTLE_S);
        long latestNs = Math.max(dueNs, beganNs + Units.ns(BACK_S));
        String master = String.valueOf(staged.description().master());
        waits.accept(() -> waitUntil(settledNs, isGivenUp));
        while (isAway(master)) {
            if (isOver(isGivenUp)) {
                return made;
            }
            if (System.nanoTime() - latestNs >= 0) {
                return made.blamed("change " + made.number() + " was taken back, but "
                        + Numbers.fixed(Units.secondsOfNs(latestNs - beganNs), 0)
                        + " s later the address is not back on " + master);
            }
            waits.accept(() -> waitUntil(System.nanoTime() + TICK_NS, isGivenUp));
        }
        return System.nanoTime() - settledNs >= 0 ? made.settled(clock.nowUs()) : made;
    }

    private boolean isAway(String master) {
        return Boolean.FALSE.equals(telemetry.owners().get(master));
    }

    private boolean isOver(BooleanSupplier isGivenUp) {
        return stopped.getCount() == 0 || isGivenUp.getAsBoolean();
    }

    private void waitUntil(long untilNs, BooleanSupplier isGivenUp) {
        for (long leftNs = untilNs - System.nanoTime();
                leftNs > 0 && !isOver(isGivenUp);
                leftNs = untilNs - System.nanoTime()) {
            UninterruptedWait.await(stopped, Math.min(leftNs, TICK_NS));
        }
    }

    private ChangeRun require(ChangeRun made) {
        if (made.error() != null) {
            throw new FaultException(made.error());
        }
        notes.tell("change " + made.number() + ", " + record.run().change().name() + ": made");
        return made;
    }

    private void keep(ChangeRun change) {
        record.plan(plan -> plan.changed(change));
        record.save();
    }

    /** The guard's events, as those of a change. */
    private void event(EventKind kind, String text, long timeNs, String node, String id) {
        EventKind ofChange = switch (kind) {
            case FAULT -> EventKind.CHANGE;
            case HEAL -> EventKind.UNDO;
            default -> kind;
        };
        telemetry.journal().event(ofChange, text, timeNs, node, id);
    }
}
