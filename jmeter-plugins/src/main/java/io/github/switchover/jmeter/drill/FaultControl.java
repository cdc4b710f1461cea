package io.github.switchover.jmeter.drill;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.ConsoleLine;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.faults.Guard;
import io.github.switchover.jmeter.faults.Guard.Firing;
import io.github.switchover.jmeter.faults.Guard.Healing;
import io.github.switchover.jmeter.faults.Staging;
import io.github.switchover.jmeter.faults.Staging.StagedFault;
import io.github.switchover.jmeter.faults.UndoList;
import io.github.switchover.jmeter.prober.Prober;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.PlanTimes.CutPhase;
import io.github.switchover.jmeter.target.FaultRecipe;
import io.github.switchover.jmeter.verdict.OutageMeter;
import io.github.switchover.jmeter.verdict.Phases;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The single fault of a run: stages, fires and heals it once, and records each step. Thread-safe. */
public final class FaultControl implements AutoCloseable {

    /** The time that the probes' time-out and a scrape need, in addition to the longest predicted outage. */
    private static final double MARGIN_S = 1;

    private static final String INTERRUPTED = "interrupted before the end of the plan";

    private final DrillSettings settings;
    private final RunRecord record;
    private final Path directory;
    private final RunClock clock;
    private final Telemetry telemetry;
    private final @Nullable Prober prober;
    private final CountDownLatch stopped;
    private final RunMessages notes;
    private final Staging staging;

    /** The lock of the one thread that stages and fires. Other threads may heal at the same time. */
    private final Object requests = new Object();

    /** Held while the commands of the fault run and their times are recorded. */
    private final Object commands = new Object();

    private volatile @Nullable StagedFault staged;
    private volatile @Nullable UndoList hold;
    private volatile @Nullable Guard guard;

    /** {@code stopped} opens at the end of the run. */
    FaultControl(
            DrillSettings settings,
            RunRecord record,
            RunClock clock,
            Telemetry telemetry,
            @Nullable Prober prober,
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

    /** Sets the lock on the target that this run already has; null: staging takes the lock. */
    void keep(@Nullable UndoList taken) {
        hold = taken;
    }

    /** True if the fault was fired, and no heal has begun. */
    boolean isOn() {
        return isFired() && record.plan().healFromUs() == null;
    }

    private boolean isFired() {
        return record.plan().firedFromUs() != null;
    }

    /**
     * Fires and confirms a fault; false: another call has already fired it. Blocks until then.
     *
     * @param healWithinS the longest time from the confirmation to the heal; null: until the end of the test
     * @param isGivenUp called right before the kill; true: the fault is not fired
     * @throws FaultException if the fault was not fired, or was not confirmed and has therefore been healed
     */
    public boolean fireFirst(String fault, @Nullable Double healWithinS, BooleanSupplier isGivenUp) {
        synchronized (requests) {
            boolean isDone = isFired() || record.run().isDryRun();
            if (isDone && record.fault().name().equals(fault)) {
                return false;
            }
            fireOnce(fault, healWithinS, isGivenUp);
            return true;
        }
    }

    /** Records that another program has just fired a fault. Returns false if this was already recorded. */
    public boolean noteExternal() {
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
                notes.info(text);
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

    /** Heals the fired fault and waits for its proof. Throws FaultException if that failed, or the fault had ended. */
    public void heal() {
        if (!isOn()) {
            notes.info("there is nothing to heal");
            return;
        }
        healOnce();
        String error = record.fault().error();
        if (!error.isEmpty()) {
            throw new FaultException(error);
        }
    }

    /** Heals the fault immediately, because nothing is measured without a prober. */
    void giveUp(String why) {
        String error = "the run ended in the " + Phases.present(record.plan()).label() + " phase: " + why;
        record.blame(error);
        notes.warn(error);
        undo();
    }

    /** Heals an open fault before any other work of the ending JVM. */
    void interrupt() {
        undo();
        record.stop(INTERRUPTED);
        notes.warn(INTERRUPTED);
    }

    /** Heals the fault, in any state of the run. Stops the wait for the confirmation of the fault. */
    void undo() {
        Guard healing = guard;
        if (healing == null && !isOn()) {
            return;
        }
        // If there is no guard, another program fired the fault and will heal it.
        long nowUs = clock.nowUs();
        Healing healed = healing == null ? new Healing(nowUs, nowUs, nowUs, null) : healing.heal();
        synchronized (commands) {
            // At this point, the thread that fires has recorded its fault.
            if (isOn()) {
                write(healed);
            }
        }
    }

    /** Returns the phases that were shorter than the predicted outage plus the stability window. */
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

    /** Adds the outage that the target file predicts. */
    private static FaultRun predicted(StagedFault staged) {
        FaultRecipe.PredictedWindow window = staged.recipe().predictS();
        return window == null
                ? staged.description()
                : staged.description()
                        .with("predict_low_ms", Numbers.round(window.low() * Units.MS_PER_S, 3))
                        .with("predict_high_ms", Numbers.round(window.high() * Units.MS_PER_S, 3))
                        .with("predict_reason", "according to the target file");
    }

    @Override
    public void close() {
        Guard closing = guard;
        guard = null;
        if (closing != null) {
            closing.close();
            if (closing.lastWords() != null) {
                record.blameToo(closing.lastWords());
                notes.warn(closing.lastWords());
            }
        }
        if (hold != null) {
            hold.close();
        }
    }

    private void fireOnce(String fault, @Nullable Double healWithinS, BooleanSupplier isGivenUp) {
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
            notes.warn(error.getMessage());
            throw error;
        }
        if (!record.fault().error().isEmpty()) {
            healOnce();
            throw new FaultException(record.fault().error());
        }
    }

    /** Refuses a fault that does not belong to this run, or that comes too late. */
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
                    fault + " does not fire: " + record.fault().name() + " was already fired in this run");
        }
        DrillSettings.FaultPlan plan = settings.faultPlan();
        if (plan != null && !plan.fault().equals(fault)) {
            throw new FaultException(fault + " does not fire: this run may only fire " + plan.fault());
        }
    }

    /** Arms the fault: from now on a watchdog has the commands to undo it. After a FaultException nothing is armed. */
    private void stage(String fault) {
        StagedFault found = staging.stage(
                fault, settings.firing().armingToStage(), telemetry.collector().owners());
        if (hold == null) {
            hold = UndoList.hold(settings.target(), fault, directory);
        }
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

    /** Resets the fault of the run: it was not fired, and was not in the plan. */
    private void unstage() {
        Guard dismissed = guard;
        guard = null;
        staged = null;
        if (dismissed != null) {
            dismissed.close();
        }
        record.fault(FaultRun.none(record.fault().error()));
    }

    /** Throws FaultException if nothing was fired. A later error is recorded in the run's fault. */
    private void fireStaged(@Nullable Double healWithinS, BooleanSupplier isGivenUp) {
        synchronized (commands) {
            double checkedS = RunClock.bootSeconds();
            notes.info(BackupCheck.require(requireNonNull(staged), staging, settings, telemetry));
            Firing firing = requireNonNull(guard).unless(isGivenUp).fire(healWithinS, checkedS);
            record.plan(plan -> plan.fired(firing.fromUs(), firing.toUs()));
            Long confirmedUs = firing.confirmedUs();
            if (confirmedUs != null) {
                record.plan(plan -> plan.confirmed(confirmedUs));
            }
            FaultRun fault = record.fault();
            if (firing.error() == null) {
                notes.info("fired " + fault.name() + " on " + (fault.victim() == null ? "the target" : fault.victim()));
            } else {
                record.blame(firing.error());
                notes.warn(firing.error());
            }
            record.save();
        }
    }

    /** Makes all steps except the kill. After the dry run, this run can fire no fault. */
    private void dryRunStaged() {
        synchronized (commands) {
            record.change(run -> run.with("dry_run", true));
            try {
                notes.info(BackupCheck.require(requireNonNull(staged), staging, settings, telemetry));
                requireNonNull(guard).dryRun();
            } catch (SwitchoverException error) {
                record.blame(error.getMessage());
                throw error;
            }
            record.save();
            String result = record.fault().name() + " dry run: nothing was fired";
            notes.info(result);
            ConsoleLine.print("Switchover: " + result);
        }
    }

    /** Heals a fired fault once, at the planned time. Records an error if the fault ended before this heal. */
    private void healOnce() {
        synchronized (commands) {
            if (!isOn()) {
                return;
            }
            if (guard != null && record.fault().error().isEmpty()) {
                String problem = guard.stillDown();
                if (problem != null) {
                    record.blame(problem);
                    notes.warn(problem);
                }
            }
            undo();
            record.save();
        }
    }

    private void write(Healing healed) {
        record.plan(plan -> plan.healing(healed.fromUs(), healed.toUs()));
        Long healedUs = healed.healedUs();
        if (healedUs != null) {
            record.plan(plan -> plan.healed(healedUs));
        }
        if (healed.error() == null) {
            notes.info("healed " + record.fault().name());
        } else {
            record.blameToo(healed.error());
            notes.warn(healed.error());
        }
    }
}
