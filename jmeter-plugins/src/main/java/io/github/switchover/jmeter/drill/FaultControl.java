package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.RunClock.BootTime;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.Guard;
import io.github.switchover.jmeter.faults.Guard.Firing;
import io.github.switchover.jmeter.faults.Guard.Healing;
import io.github.switchover.jmeter.faults.Staging;
import io.github.switchover.jmeter.faults.Staging.StagedFault;
import io.github.switchover.jmeter.faults.TargetHold;
import io.github.switchover.jmeter.judge.OutageMeter;
import io.github.switchover.jmeter.judge.Phases;
import io.github.switchover.jmeter.prober.Prober;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.PlanTimes.CutPhase;
import io.github.switchover.jmeter.target.FaultRecipe;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;

/**
 * The one fault of a run: staged, fired once, healed once, and recorded as it happens. Closing it heals a fault that
 * is not healed by then. Thread-safe.
 */
final class FaultControl implements AutoCloseable {

    /** The margin above the longest predicted outage: the probe's time-out and a scrape. */
    private static final double MARGIN_S = 1;

    private static final String INTERRUPTED = "interrupted before the plan was done";

    private final DrillSettings settings;
    private final RunRecord record;
    private final Path directory;
    private final RunClock clock;
    private final Telemetry telemetry;
    private final Prober prober;
    private final CountDownLatch stopped;
    private final RunMessages notes;
    private final Staging staging;

    /** The lock of the one thread that stages and fires; other threads may heal at the same time. */
    private final Object requests = new Object();

    /** Held while the commands of the fault run and their times are written down. */
    private final Object commands = new Object();

    private volatile StagedFault staged;
    private volatile TargetHold hold;
    private volatile Guard guard;

    /**
     * The fault of a run.
     *
     * @param prober null if nothing is probed
     * @param stopped the run is over
     */
    FaultControl(
            DrillSettings settings,
            RunRecord record,
            RunClock clock,
            Telemetry telemetry,
            Prober prober,
            CountDownLatch stopped,
            RunMessages notes) {
        this.settings = settings;
        this.record = record;
        this.clock = clock;
        this.telemetry = telemetry;
        this.prober = prober;
        this.stopped = stopped;
        this.notes = notes;
        directory = record.directory();
        staging = new Staging(settings.target());
    }

    /** Sets the hold that keeps other runs away until the end of this run; null: the first staged fault takes it. */
    void keep(TargetHold taken) {
        hold = taken;
    }

    /** Other runs are kept away from now on; with FaultException one of them has the target. */
    synchronized void requireHold(String what) {
        if (hold == null) {
            hold = TargetHold.take(settings.target(), what, directory);
        }
    }

    /** Fired, and nothing was done about it yet. */
    boolean isOn() {
        return isFired() && record.plan().healFromUs() == null;
    }

    private boolean isFired() {
        return record.plan().firedFromUs() != null;
    }

    /** See {@link Drill#fireFirst}. */
    boolean fireFirst(String fault, Double healWithinS, BooleanSupplier isGivenUp) {
        synchronized (requests) {
            boolean isDone = isFired() || record.run().isDryRun();
            if (isDone && record.fault().name().equals(fault)) {
                return false;
            }
            fireOnce(fault, healWithinS, isGivenUp);
            return true;
        }
    }

    /** See {@link Drill#noteExternal}. */
    boolean noteExternal() {
        synchronized (requests) {
            if (isFired() && record.fault().name().equals(FaultRun.EXTERNAL)) {
                return false;
            }
            refuse(FaultRun.EXTERNAL);
            synchronized (commands) {
                long nowUs = clock.nowUs();
                String text = FaultRun.EXTERNAL + ": fired elsewhere";
                record.fault(FaultRun.external());
                record.plan(plan -> plan.fired(nowUs, nowUs).confirmed(nowUs));
                telemetry.journal().event(EventKind.FAULT, text, nowUs * Units.NS_PER_US);
                notes.tell(text);
                record.save();
            }
            return true;
        }
    }

    /** Signals the watchdog that the run continues. Never waits. */
    void beat() {
        Guard beating = guard;
        if (beating != null) {
            beating.beat();
        }
    }

    /** See {@link Drill#heal}. */
    void heal() {
        if (!isOn()) {
            notes.tell("there is nothing to heal");
            return;
        }
        healOnce();
        String error = record.fault().error();
        if (!error.isEmpty()) {
            throw new FaultException(error);
        }
    }

    /** Heals at once: no prober measures any more, so waiting with an open fault is useless. */
    void giveUp(String why) {
        String error = "the run ended in the " + Phases.present(record.plan()).label() + " phase: " + why;
        record.blame(error);
        notes.say(error);
        undo();
    }

    /** The JVM ends: an open fault is healed first, before any other work of the end. */
    void interrupt() {
        undo();
        record.stop(INTERRUPTED);
        notes.say(INTERRUPTED);
    }

    /** The heal itself, in any state of the run. It cuts short the waiting for the proof of a fault. */
    void undo() {
        Guard healing = guard;
        if (healing == null && !isOn()) {
            return;
        }
        // Without a guard it was fired elsewhere, and is healed elsewhere.
        long nowUs = clock.nowUs();
        Healing healed = healing == null ? new Healing(nowUs, nowUs, nowUs, null) : healing.heal();
        synchronized (commands) {
            // A fault that was fired a moment ago is recorded by now.
            if (isOn()) {
                write(healed);
            }
        }
    }

    /**
     * The phases that were shorter than the prediction of the target file and the stability window need; {@code
     * endUs}: the end of the run.
     */
    List<CutPhase> cutShort(long endUs) {
        StagedFault fired = staged;
        FaultRecipe.PredictedWindow window =
                fired == null ? null : fired.recipe().predictS();
        PlanTimes plan = record.plan();
        if (plan.firedFromUs() == null || window == null) {
            return List.of();
        }
        Long healUs = plan.healInTimeUs();
        long heldUs = (healUs == null ? endUs : Math.min(healUs, endUs)) - plan.firedFromUs();
        double neededS =
                Numbers.round(window.high() + Units.secondsOfUs(OutageMeter.STABILITY_WINDOW_US) + MARGIN_S, 1);
        return heldUs >= neededS * Units.US_PER_S
                ? List.of()
                : List.of(new CutPhase(CutPhase.HOLD, Units.secondsOfUs(heldUs), neededS, false));
    }

    /** Adds the outage that the target file predicts; {@code switchover report} knows the prediction of theory. */
    private static FaultRun predicted(StagedFault staged) {
        FaultRecipe.PredictedWindow window = staged.recipe().predictS();
        return window == null
                ? staged.description()
                : staged.description()
                        .with("predict_low_ms", Numbers.round(window.low() * Units.MS_PER_S, 3))
                        .with("predict_high_ms", Numbers.round(window.high() * Units.MS_PER_S, 3))
                        .with("predict_reason", "as the target file says");
    }

    @Override
    public void close() {
        Guard closing = guard;
        guard = null;
        if (closing != null) {
            closing.close();
            if (closing.lastWords() != null) {
                record.blameToo(closing.lastWords());
                notes.say(closing.lastWords());
            }
        }
        if (hold != null) {
            hold.close();
        }
    }

    private void fireOnce(String fault, Double healWithinS, BooleanSupplier isGivenUp) {
        refuse(fault);
        try {
            DrillSettings.FaultPlan.checkHold(healWithinS);
            stage(fault);
            if (prober != null) {
                new TargetHealth(settings.target(), prober, stopped).require();
            }
            if (settings.firing().dryRun()) {
                dryRunStaged();
                return;
            }
            fireStaged(healWithinS, isGivenUp);
        } catch (SwitchoverException error) {
            if (settings.faultPlan() == null) {
                unstage();
            }
            if (stopped.getCount() > 0) {
                record.notFired(fault, error.getMessage());
            }
            notes.say(error.getMessage());
            throw error;
        }
        if (!record.fault().error().isEmpty()) {
            healOnce();
            throw new FaultException(record.fault().error());
        }
    }

    /** Refuses a fault that is not part of this run, or that comes too late. */
    private void refuse(String fault) {
        if (record.run().isDryRun()) {
            throw new FaultException(
                    fault + " is not dry run: " + record.fault().name() + " was already, one a run");
        }
        if (stopped.getCount() == 0) {
            throw new FaultException(fault + " does not fire: the run is over");
        }
        if (isFired()) {
            throw new FaultException(
                    fault + " does not fire: " + record.fault().name() + " was fired already, once a run");
        }
        DrillSettings.FaultPlan plan = settings.faultPlan();
        if (plan != null && !plan.fault().equals(fault)) {
            throw new FaultException(fault + " does not fire: this run is for " + plan.fault());
        }
    }

    /** Arms it: from here on a watchdog knows how to undo it. With FaultException there is no fault. */
    private void stage(String fault) {
        StagedFault found = staging.stage(fault, settings.firing().armingToStage(), telemetry.owners());
        requireHold(fault);
        Guard arming = new Guard(found, settings.target(), hold, clock, telemetry.journal()::event, directory);
        try {
            arming.arm();
        } catch (FaultException error) {
            arming.close();
            throw error;
        }
        staged = found;
        guard = arming;
        record.fault(predicted(found));
    }

    /** Nothing was fired, and it was no part of the plan: the run is one without a fault. */
    private void unstage() {
        Guard dismissed = guard;
        guard = null;
        staged = null;
        if (dismissed != null) {
            dismissed.close();
        }
        record.fault(FaultRun.none(record.fault().error()));
    }

    /** If it throws FaultException, nothing was fired; an error after that is in the run's fault. */
    private void fireStaged(Double healWithinS, BooleanSupplier isGivenUp) {
        synchronized (commands) {
            double checkedS = BootTime.seconds();
            notes.tell(BackupCheck.require(staged, staging, settings, telemetry));
            Firing firing = guard.unless(isGivenUp).fire(healWithinS, checkedS);
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
    }

    /**
     * Does everything but the kill: from here on no fault can be fired in this run. Its commands are printed on the
     * console of JMeter, and stand in no log.
     */
    private void dryRunStaged() {
        synchronized (commands) {
            record.change(run -> run.with("dry_run", true));
            List<String> lines = new ArrayList<>();
            try {
                lines.add(BackupCheck.require(staged, staging, settings, telemetry));
                notes.tell(lines.get(0));
                lines.addAll(guard.dryRun());
            } catch (SwitchoverException error) {
                record.blame(error.getMessage());
                throw error;
            }
            String said = record.fault().name() + " dry run: nothing was fired";
            record.save();
            notes.tell(said);
            lines.add(said);
            lines.forEach(line -> System.out.println("Switchover: " + line));
        }
    }

    /** Heals at the planned time: once, and only a fired fault. The fault must have lasted until now. */
    private void healOnce() {
        synchronized (commands) {
            if (!isOn()) {
                return;
            }
            if (guard != null && record.fault().error().isEmpty()) {
                String problem = guard.stillDown();
                if (problem != null) {
                    record.blame(problem);
                    notes.say(problem);
                }
            }
            undo();
            record.save();
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
}
