package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.faults.FaultException;
import io.github.switchover.jmeter.metronome.Metronome;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The course that a run takes: the phase that it is in, and the one fault that brings it from one to the next, at
 * whoever's word. What the {@link Trigger} does is not asked before here. Thread-safe.
 */
final class Course {

    private static final String INTERRUPTED = "interrupted before the plan was done";

    private final DrillSettings settings;
    private final RunRecord record;
    private final Trigger trigger;
    private final Metronome metronome;
    private final CountDownLatch stopped;
    private final RunMessages notes;
    private final Lock firing = new ReentrantLock();
    private volatile String phase = "baseline";

    /** {@code metronome}: null, where nobody probes; {@code stopped}: the run is over. */
    Course(
            DrillSettings settings,
            RunRecord record,
            Trigger trigger,
            Metronome metronome,
            CountDownLatch stopped,
            RunMessages notes) {
        this.settings = settings;
        this.record = record;
        this.trigger = trigger;
        this.metronome = metronome;
        this.stopped = stopped;
        this.notes = notes;
    }

    String phase() {
        return phase;
    }

    void enter(String next) {
        phase = next;
    }

    /** As {@link Drill#fire} says. */
    void fire(String fault) {
        firing.lock();
        try {
            fireOnce(fault);
        } finally {
            firing.unlock();
        }
    }

    /** As {@link Drill#fireFirst} says. */
    boolean fireFirst(String fault) {
        firing.lock();
        try {
            if (trigger.isFired() && record.fault().name().equals(fault)) {
                return false;
            }
            fireOnce(fault);
            return true;
        } finally {
            firing.unlock();
        }
    }

    /** As {@link Drill#heal} says. */
    void heal() {
        if (!trigger.isOn()) {
            notes.tell("there is nothing to heal");
            return;
        }
        enter("heal");
        trigger.heal();
        enter("failback");
        String error = record.fault().error();
        if (error != null) {
            throw new FaultException(error);
        }
    }

    /** Nobody measures any more: then there is nothing to wait for with what is broken. */
    void giveUp(String why) {
        String error = "the run ended in the " + phase + " phase: " + why;
        record.blame(error);
        notes.say(error);
        trigger.undo();
    }

    /** The JVM ends: what is still fired is healed at once, before anything else is done about the end. */
    void interrupt() {
        trigger.undo();
        record.stop(INTERRUPTED);
        notes.say(INTERRUPTED);
    }

    private void fireOnce(String fault) {
        refuse(fault);
        try {
            trigger.stage(fault, settings.armed());
            if (metronome != null) {
                new TargetHealth(settings.target(), metronome, stopped).require();
            }
            enter("fault");
            trigger.fire();
        } catch (SwitchoverException error) {
            enter("baseline");
            if (settings.faultPlan() == null) {
                trigger.unstage();
            }
            if (stopped.getCount() > 0) {
                record.notFired(fault, error.getMessage());
            }
            notes.say(error.getMessage());
            throw error;
        }
        enter("switchover");
        if (record.fault().error() != null) {
            trigger.heal();
            throw new FaultException(record.fault().error());
        }
    }

    /** What is not of this run, or comes too late for it. */
    private void refuse(String fault) {
        if (stopped.getCount() == 0) {
            throw new FaultException(fault + " does not fire: the run is over");
        }
        if (trigger.isFired()) {
            throw new FaultException(
                    fault + " does not fire: " + record.fault().name() + " was fired already, once a run");
        }
        DrillSettings.FaultPlan plan = settings.faultPlan();
        if (plan != null && !plan.fault().equals(fault)) {
            throw new FaultException(fault + " does not fire: this run is for " + plan.fault());
        }
    }
}
