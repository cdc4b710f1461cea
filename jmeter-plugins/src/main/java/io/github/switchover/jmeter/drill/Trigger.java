package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.faults.EventSink;
import io.github.switchover.jmeter.faults.FaultException;
import io.github.switchover.jmeter.faults.Firing;
import io.github.switchover.jmeter.faults.Guard;
import io.github.switchover.jmeter.faults.Healing;
import io.github.switchover.jmeter.faults.StagedFault;
import io.github.switchover.jmeter.faults.Staging;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The fault of a run that is on: staged, fired once, healed once, and written down as it happens. Closing it heals what
 * is fired and not healed by then. One thread fires; any may heal.
 */
final class Trigger implements AutoCloseable {

    private final Staging staging;
    private final Path directory;
    private final RunRecord record;
    private final RunClock clock;
    private final EventSink journal;
    private final Supplier<Map<String, Boolean>> owners;
    private final RunMessages notes;
    private final Lock firing = new ReentrantLock();
    private volatile StagedFault staged;
    private volatile Guard guard;

    Trigger(
            Target target,
            Path directory,
            RunRecord record,
            RunClock clock,
            EventSink journal,
            Supplier<Map<String, Boolean>> owners,
            RunMessages notes) {
        staging = new Staging(target);
        this.directory = directory;
        this.record = record;
        this.clock = clock;
        this.journal = journal;
        this.owners = owners;
        this.notes = notes;
    }

    boolean isFired() {
        return record.plan().firedFromUs() != null;
    }

    /** Fired, and nothing was done about it yet. */
    boolean isOn() {
        return isFired() && record.plan().healFromUs() == null;
    }

    boolean isStaged() {
        return guard != null;
    }

    /** Arms it: from here on a watchdog stands by. With FaultException there is no fault. */
    void stage(String fault, boolean armed) {
        StagedFault found = staging.stage(fault, armed, owners.get());
        Guard arming = new Guard(found.recipe(), clock, journal, staging.isArmed(armed), found.names(), directory);
        try {
            arming.arm();
        } catch (FaultException error) {
            arming.close();
            throw error;
        }
        staged = found;
        guard = arming;
        record.fault(PredictedOutage.of(found));
    }

    /** Nothing was fired, and it was no part of the plan: the run is one without a fault. */
    void unstage() {
        Guard dismissed = guard;
        guard = null;
        staged = null;
        if (dismissed != null) {
            dismissed.close();
        }
        record.fault(FaultRun.none(record.fault().error()));
    }

    /** What turned out too short for what the target file predicts. */
    List<String> cutShort(long endUs) {
        StagedFault fired = staged;
        return fired == null
                ? List.of()
                : PredictedOutage.cutShort(record.plan(), fired.recipe().predictS(), endUs);
    }

    /** With FaultException nothing was fired; what went wrong after that is in the run's fault. */
    void fire() {
        firing.lock();
        try {
            fireStaged();
        } finally {
            firing.unlock();
        }
    }

    private void fireStaged() {
        staging.refuseAnotherMaster(staged, owners.get());
        Firing firing = guard.fire();
        record.plan(plan -> plan.fired(firing.fromUs(), firing.toUs()));
        if (firing.confirmedUs() != null) {
            record.plan(plan -> plan.confirmed(firing.confirmedUs()));
        }
        FaultRun fault = record.fault();
        if (firing.error() == null) {
            notes.tell("fired " + fault.name() + " on " + (fault.victim() == null ? "the target" : fault.victim()));
        } else {
            record.blame(firing.error());
            notes.say(firing.error());
        }
        record.save();
    }

    /** At the moment that was meant for it: once, and only what was fired. It must have lasted until now. */
    void heal() {
        firing.lock();
        try {
            if (guard == null || !isOn()) {
                return;
            }
            if (record.fault().error() == null) {
                String problem = guard.stillDown();
                if (problem != null) {
                    record.blame(problem);
                    notes.say(problem);
                }
            }
            undo();
            record.save();
        } finally {
            firing.unlock();
        }
    }

    /** The heal itself, whatever state all else is in. It cuts short the waiting for the proof of a fault. */
    void undo() {
        Guard healing = guard;
        if (healing == null) {
            return;
        }
        Healing healed = healing.heal();
        firing.lock();
        try {
            // What was fired a moment ago is written down by now.
            if (isOn()) {
                write(healed);
            }
        } finally {
            firing.unlock();
        }
    }

    private void write(Healing healed) {
        record.plan(plan -> plan.healing(healed.fromUs(), healed.toUs()));
        if (healed.healedUs() != null) {
            record.plan(plan -> plan.healed(healed.healedUs()));
        }
        if (healed.error() == null) {
            notes.tell("healed " + record.fault().name());
        } else {
            record.blameToo(healed.error());
            notes.say(healed.error());
        }
    }

    @Override
    public void close() {
        Guard closing = guard;
        guard = null;
        if (closing == null) {
            return;
        }
        closing.close();
        if (closing.mended() != null) {
            record.blameToo(closing.mended());
            notes.say(closing.mended());
        }
    }
}
