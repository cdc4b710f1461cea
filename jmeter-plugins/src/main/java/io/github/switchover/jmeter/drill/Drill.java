package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.FaultException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.drill.RunDescription.KeepalivedFacts;
import io.github.switchover.jmeter.faults.Preflight;
import io.github.switchover.jmeter.faults.Staging;
import io.github.switchover.jmeter.faults.Staging.Arming;
import io.github.switchover.jmeter.faults.TargetHold;
import io.github.switchover.jmeter.judge.Judge;
import io.github.switchover.jmeter.judge.Limit;
import io.github.switchover.jmeter.prober.Prober;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.LoadFile;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.PlanTimes.CutPhase;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.streaming.Shipper;
import io.github.switchover.jmeter.streaming.Shipper.StreamedPoints;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * One run alongside a load. It watches and probes everything that a target file describes, and fires at most one
 * fault, into one run directory. Started once, finished once; thread-safe.
 */
public final class Drill implements AutoCloseable {

    /** The ns between the last answer and the last scrape, so that the balancers have counted all answers. */
    private static final long QUIET_NS = 300_000_000;

    /** A confirmation, a heal or an undo, with all tries; a command that hangs is killed after 15 s. */
    private static final long JOIN_MS = 120_000;

    private final DrillSettings settings;
    private final RunClock clock;
    private final Path directory;
    private final RunRecord record;
    private final RunMessages notes = new RunMessages();
    private final AtomicBoolean loaded = new AtomicBoolean();
    private final AtomicReference<String> refusedKill = new AtomicReference<>();
    private final CountDownLatch stopped = new CountDownLatch(1);
    private Telemetry telemetry;
    private Prober prober;
    private TargetHold hold;
    private FaultControl control;
    private Thread watcher;
    private Shipper streaming;
    private RunResult finished;

    private Drill(DrillSettings settings, RunClock clock, Path directory, RunRecord record) {
        this.settings = settings;
        this.clock = clock;
        this.directory = directory;
        this.record = record;
    }

    /**
     * Makes the run directory and starts all measurements; the run has begun when this returns.
     *
     * @throws SwitchoverException in one line; then no file and no thread is left
     */
    public static Drill start(DrillSettings settings, RunClock clock) {
        Probing probing = Probing.of(settings);
        DrillSettings.FaultPlan plan = settings.faultPlan();
        if (plan != null && settings.firing().arming() != Arming.DECLINED) {
            // What can be refused is refused before anything is started; a No at the question is no reason to stop a
            // test.
            new Staging(settings.target()).stage(plan.fault(), settings.firing().armingToStage(), null);
        }
        String fired = settings.expectedFault();
        if (fired != null) {
            Preflight.require(settings.target(), fired, settings.firing().allowed());
        }
        Path directory = RunDirectory.create(
                settings.origin().out().toAbsolutePath(),
                RunDirectory.identifier(settings.origin().name(), Instant.now()));
        String id = directory.getFileName().toString();
        Drill drill = new Drill(
                settings, clock, directory, new RunRecord(directory, RunDescription.run(id, settings, probing)));
        settings.limits().stream()
                .flatMap(text -> Limit.parse(text).warning().stream())
                .forEach(drill.notes::tell);
        try {
            drill.begin(probing);
            return drill;
        } catch (RuntimeException error) {
            drill.abandon();
            throw error;
        }
    }

    public Path directory() {
        return directory;
    }

    public Run run() {
        return record.run();
    }

    /** The run's id: the name of its directory. */
    public String id() {
        return record.run().id();
    }

    public Target target() {
        return settings.target();
    }

    /**
     * Announces that a load is recorded into this run. Its facts go into run.json, and a missing load is reported.
     */
    public void expectLoad() {
        loaded.set(true);
    }

    public void warn(String text) {
        record.warn(text);
        notes.say(text);
    }

    /** Records that a server of the test disappeared. Its last actions are unknown. */
    void lost(String server) {
        record.change(run -> run.adding("workers", List.of(LoadFile.lostWorker(server))));
        warn("server " + server + " went away before its test had ended: what it did last is not known");
    }

    /** A Master Kill could do nothing: why, unless another one does. */
    public void refuseKill(String why) {
        refusedKill.compareAndSet(null, why);
    }

    /** The test ends before its load, or its heal: the run is none that its plan meant. */
    public void stop(String why) {
        record.stop(why);
    }

    /**
     * Stages, fires and confirms a fault: once a run, and blocking until it is confirmed. False if this fault was
     * already fired or dry run: only the first of several callers fires.
     *
     * @param healWithinS the heal begins at most that many seconds after the confirmation; null: when the test ends
     * @param isGivenUp called right before it fires; true: it does not fire
     * @throws FaultException in one line when it was not fired, or is not confirmed; it is healed then
     */
    public boolean fireFirst(String fault, Double healWithinS, BooleanSupplier isGivenUp) {
        return control.fireFirst(fault, healWithinS, isGivenUp);
    }

    /** Records that another program has just fired a fault. False if that was recorded before. */
    public boolean noteExternal() {
        return control.noteExternal();
    }

    /** Everything but the kill is done. */
    public boolean isDryRun() {
        return settings.firing().dryRun();
    }

    /**
     * Heals the fired fault, and proves that; blocking. Does nothing if no fault was fired.
     *
     * @throws FaultException in one line if it is not healed, or was up before
     */
    public void heal() {
        control.heal();
    }

    /** The last things worth saying, the newest last. Never waits. */
    public List<String> notes() {
        return notes.last();
    }

    public PlanTimes plan() {
        return record.plan();
    }

    /** The fault that is staged or was fired, or none. */
    public FaultRun fault() {
        return record.fault();
    }

    /**
     * Ends the run: heals an open fault, scrapes every source once more, writes all files and judges the run. Called
     * once.
     */
    public synchronized RunResult finish() {
        if (finished == null) {
            end();
            finished = Conclusion.of(record);
            finishStreaming();
            record.save();
        }
        return finished;
    }

    @Override
    public void close() {
        finish();
    }

    /**
     * The JVM ends before the plan was done. An open fault is healed first, and the run is invalid. A run that is
     * already ending heals by itself.
     */
    void interrupt() {
        if (stopped.getCount() > 0) {
            control.interrupt();
        }
    }

    private void begin(Probing probing) {
        record.save();
        if (record.unsaved() != null) {
            throw new SwitchoverException(record.unsaved());
        }
        String fault = settings.expectedFault();
        if (fault != null) {
            // Before the first request: the run that has the target must not count any request of this one.
            hold = TargetHold.take(settings.target(), fault, directory);
        }
        KeepalivedFacts.copy(settings.target(), directory, record);
        telemetry = new Telemetry(
                settings.target(), directory, clock, record, settings.probing().scrapeS());
        long nowUs = clock.nowUs();
        record.plan(plan -> plan.started(nowUs));
        telemetry.journal().event(EventKind.START, settings.origin().name(), nowUs * Units.NS_PER_US);
        if (probing.isProbed()) {
            prober = probing.start(directory, id(), clock);
            telemetry.watch(prober.thread());
            record.part(RunDirectory.PROBES_FILE);
            record.part(Probing.JOURNAL);
        }
        record.save();
        control = new FaultControl(settings, record, clock, telemetry, prober, stopped, notes);
        control.keep(hold);
        watcher =
                DaemonThread.start("switchover drill", new RunWatcher(control, settings.faultPlan(), prober, stopped));
        if (settings.stream() != null) {
            streaming = Shipper.start(directory, settings.stream(), this::warn);
        }
    }

    /** The test is over: an open fault is healed, before the load or this run waits for the disk. Called once. */
    synchronized void endTest() {
        if (stopped.getCount() == 0) {
            return;
        }
        stopped.countDown();
        if (control.isOn()) {
            // The heal comes without delay. Later phases were not planned, so they are not measured.
            markEnd();
            DrillSettings.FaultPlan plan = settings.faultPlan();
            if (plan != null && plan.healAtS() != null) {
                record.stop("the test ended before the heal that was planned after " + Numbers.general(plan.healAtS())
                        + " s");
            }
        }
        control.undo();
    }

    private void end() {
        endTest();
        joinWatcher();
        if (settings.firing().killsInPlan() && settings.faultPlan() == null && record.isNothingTried()) {
            String why = refusedKill.get();
            record.notFired(
                    "Master Kill",
                    why == null ? "the test ended before a thread had come to it and waited for its time" : why);
        }
        if (record.plan().endUs() == null) {
            markEnd();
        }
        List<CutPhase> cutShort = control.cutShort(record.plan().endUs());
        record.change(run -> run.with("truncated", cutShort));
        stopProber();
        telemetry
                .journal()
                .event(EventKind.END, settings.origin().name(), record.plan().endUs() * Units.NS_PER_US);
        UninterruptedWait.await(new CountDownLatch(1), QUIET_NS);
        telemetry.scrape();
        awaitAnswers(record.plan());
        control.close();
        telemetry.close();
        if (loaded.get() || Files.exists(directory.resolve(LoadFile.NAME))) {
            record.change(run -> LoadFile.into(run, directory));
        }
        record.save();
    }

    /**
     * After a heal at the end of the run a balancer may still be starting. A balancer that does not answer even now
     * is not healed, even if the heal's proof held.
     */
    private void awaitAnswers(PlanTimes plan) {
        if (plan.healedUs() == null) {
            return;
        }
        long startedUs = plan.healedUs() + Judge.SETTLED_US;
        while (telemetry.isBalancerLost() && plan.endUs() < startedUs) {
            boolean isOver = clock.nowUs() >= startedUs;
            telemetry.scrape();
            if (isOver) {
                return;
            }
            UninterruptedWait.await(new CountDownLatch(1), QUIET_NS);
        }
    }

    /** Waits until the watcher has finished its current work, if that ends. */
    private void joinWatcher() {
        try {
            watcher.join(JOIN_MS);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private void markEnd() {
        long nowUs = clock.nowUs();
        record.plan(plan -> plan.ended(nowUs));
    }

    /** Now that the verdict is in the journals, too. */
    private void finishStreaming() {
        if (streaming == null) {
            return;
        }
        StreamedPoints streamed = streaming.finish();
        record.change(run -> run.with("streaming", streamed));
        finished = finished.with(streamed.line(directory));
    }

    private void stopProber() {
        if (prober == null) {
            return;
        }
        Tree account = prober.stop();
        record.change(run -> run.with("generator", account).sealed(prober.seals()));
        record.warn(account.text("warning"));
    }

    /** The run did not begin: ends the started threads and removes the made files. */
    private void abandon() {
        stopped.countDown();
        if (prober != null) {
            prober.close();
        }
        if (telemetry != null) {
            telemetry.close();
        }
        if (hold != null) {
            hold.close();
        }
        RunDirectory.deleteUnbegun(directory);
    }
}
