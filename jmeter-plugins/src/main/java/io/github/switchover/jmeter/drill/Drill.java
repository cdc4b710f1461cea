package io.github.switchover.jmeter.drill;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.drill.RunDescription.KeepalivedFacts;
import io.github.switchover.jmeter.faults.Preflight;
import io.github.switchover.jmeter.faults.Staging;
import io.github.switchover.jmeter.faults.Staging.Arming;
import io.github.switchover.jmeter.faults.UndoList;
import io.github.switchover.jmeter.prober.Prober;
import io.github.switchover.jmeter.run.FaultRun;
import io.github.switchover.jmeter.run.LoadFile;
import io.github.switchover.jmeter.run.PlanTimes;
import io.github.switchover.jmeter.run.PlanTimes.CutPhase;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunDirectory;
import io.github.switchover.jmeter.run.Seal;
import io.github.switchover.jmeter.streaming.Shipper;
import io.github.switchover.jmeter.streaming.Shipper.StreamedPoints;
import io.github.switchover.jmeter.target.Target;
import io.github.switchover.jmeter.verdict.Judge;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One run alongside a load: probes, fires at most one fault, writes one run directory. Thread-safe. */
public final class Drill implements AutoCloseable {

    /** The ns between the last answer and the last scrape: by then the balancers have counted all answers. */
    private static final long QUIET_NS = 300_000_000;

    /** A time that is longer than a confirmation, a heal or an undo with all tries. */
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
    private @Nullable Prober prober;
    private @Nullable UndoList hold;
    private FaultControl control;
    private Thread watcher;
    private @Nullable Shipper streaming;
    private @Nullable RunResult finished;

    @SuppressWarnings("NullAway.Init")
    private Drill(DrillSettings settings, RunClock clock, Path directory, RunRecord record) {
        this.settings = settings;
        this.clock = clock;
        this.directory = directory;
        this.record = record;
    }

    /** Starts all measurements of a new run. Throws SwitchoverException, and leaves no file and no thread. */
    public static Drill start(DrillSettings settings, RunClock clock) {
        Probing probing = Probing.of(settings);
        DrillSettings.FaultPlan plan = settings.faultPlan();
        if (plan != null && settings.firing().arming() != Arming.DECLINED) {
            // Invalid faults are refused before anything is started. If the user answered No to the question, the test
            // runs without a fault.
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

    /** The id of the run, which is the name of its directory. */
    public String id() {
        return requireNonNull(record.run().id());
    }

    public Target target() {
        return settings.target();
    }

    /** Announces a recorded load, whose description is added to run.json or reported as missing. */
    public void expectLoad() {
        loaded.set(true);
    }

    public void warn(String text) {
        record.warn(text);
        notes.warn(text);
    }

    /** Records that a server of the test disappeared. */
    void lost(String server) {
        record.change(run -> run.adding("workers", List.of(LoadFile.lostWorker(server))));
        warn("server " + server + " went away before its test had ended: its last actions are unknown");
    }

    /** Records why a Master Kill cannot fire. The reason is reported if this run fires no fault. */
    public void refuseKill(String why) {
        refusedKill.compareAndSet(null, why);
    }

    /** Records that the test ends before its load or its heal: the run is invalid. */
    public void stop(String why) {
        record.stop(why);
    }

    /** The control of the run's fault. */
    public FaultControl faults() {
        return control;
    }

    /** True for a dry run, which makes all steps except the kill. */
    public boolean isDryRun() {
        return settings.firing().dryRun();
    }

    /** Returns the last messages, sorted by time. Never waits. */
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

    /** Ends and judges the run, after healing an open fault. Later calls return the same result. */
    public synchronized RunResult finish() {
        if (finished == null) {
            end();
            finished = RunResult.of(record);
            finishStreaming();
            record.save();
        }
        return finished;
    }

    @Override
    public void close() {
        finish();
    }

    /** Called if the JVM ends during the test: heals an open fault first, and makes the run invalid. */
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
            // The lock is taken before the first request: another run that holds the lock must not count our requests.
            hold = UndoList.hold(settings.target(), fault, directory);
        }
        KeepalivedFacts.copy(settings.target(), directory, record);
        telemetry = new Telemetry(
                settings.target(), directory, clock, record, settings.probing().scrapeS());
        long nowUs = clock.nowUs();
        record.plan(plan -> plan.started(nowUs));
        telemetry.journal().event(EventKind.START, settings.origin().name(), nowUs * Units.NS_PER_US);
        if (probing.isProbed()) {
            prober = probing.start(directory, id(), clock);
            telemetry.collector().watch(prober.thread());
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

    /** Ends the test: heals an open fault at once, before anything waits for the disk. */
    synchronized void endTest() {
        if (stopped.getCount() == 0) {
            return;
        }
        stopped.countDown();
        if (control.isOn()) {
            // This heal was not planned, so no phases after it are measured.
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
                    why == null
                            ? "the test ended before a thread reached the Master Kill and waited until its time"
                            : why);
        }
        if (record.plan().endUs() == null) {
            markEnd();
        }
        long endUs = requireNonNull(record.plan().endUs());
        List<CutPhase> cutShort = control.cutShort(endUs);
        record.change(run -> run.with("truncated", cutShort));
        stopProber();
        telemetry.journal().event(EventKind.END, settings.origin().name(), endUs * Units.NS_PER_US);
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

    /** Waits while a balancer may still be starting after a heal at the end of the run. */
    private void awaitAnswers(PlanTimes plan) {
        if (plan.healedUs() == null) {
            return;
        }
        long startedUs = plan.healedUs() + Judge.SETTLED_US;
        while (telemetry.collector().isBalancerLost() && requireNonNull(plan.endUs()) < startedUs) {
            boolean isOver = clock.nowUs() >= startedUs;
            telemetry.scrape();
            if (isOver) {
                return;
            }
            UninterruptedWait.await(new CountDownLatch(1), QUIET_NS);
        }
    }

    /** Waits until the watcher has finished its current work, but at most {@link #JOIN_MS}. */
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

    /** Streams the remaining points after the points of the verdict are written. */
    private void finishStreaming() {
        if (streaming == null) {
            return;
        }
        StreamedPoints streamed = streaming.finish();
        record.change(run -> run.with("streaming", streamed));
        finished = requireNonNull(finished).with(streamed.line(directory));
    }

    private void stopProber() {
        if (prober == null) {
            return;
        }
        Tree account = prober.stop();
        Map<String, Seal> seals = prober.seals();
        record.change(run -> run.with("generator", account).sealed(seals));
        record.warn(account.text("warning"));
    }

    /** Ends all threads and removes all files of a run that could not start. */
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
