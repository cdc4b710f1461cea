package io.github.switchover.jmeter.recording;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.command.UninterruptedWait;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.engine.ResultTimes;
import io.github.switchover.jmeter.recording.ResultReader.Sessions;
import io.github.switchover.jmeter.run.Journal;
import io.github.switchover.jmeter.run.LoadFile;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.Seal;
import io.github.switchover.jmeter.run.ServerClocks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.apache.jmeter.samplers.SampleEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records one load into its run directory. Thread-safe.
 *
 * <p>The threads of the load add their samples to a queue and never wait. The recorder's thread makes rows {@link
 * #FLUSH_NS five times a second}, and points once a second. If the process is killed, at most the rows since the last
 * write are lost.
 */
public final class Recorder implements AutoCloseable {

    public static final String JOURNAL = "journal-jmeter.lp";

    static final long FLUSH_NS = 200_000_000;

    private static final long POINTS_NS = Units.NS_PER_S;

    private static final long CLOSE_S = 60;

    /** The bytes of one sample with its link and its texts. Measured: 270 to 490 bytes (JDK 17). */
    private static final int SAMPLE_BYTES = 600;

    private static final int BACKLOG_SHARE = 4;

    private static final Logger log = LoggerFactory.getLogger(Recorder.class);

    private final RunPlace place;
    private final ResultReader reader;
    private final BlockingQueue<WorkerSample> backlog;
    private final IntSupplier users;
    private final Workers workers;
    private final LoadNotes notes;
    private final HeaderIdentity who;
    private final Journal journal;
    private final AtomicBoolean isLateReported = new AtomicBoolean();
    private final Thread thread = new Thread(this::run, "switchover recorder");
    private volatile boolean closing;
    private volatile boolean closed;

    private Recorder(RunPlace place, Tree load, IntSupplier users, BlockingQueue<WorkerSample> backlog) {
        this.place = place;
        this.users = users;
        this.backlog = backlog;
        notes = new LoadNotes(load);
        who = new HeaderIdentity(place.identity());
        reader = new ResultReader(
                who, new Sessions(place.identity().stickyCookie()), new ResultTimes(place.clock(), place.servers()));
        workers = new Workers(place);
        journal = new Journal(place.directory().resolve(JOURNAL), Map.of());
        thread.setDaemon(true);
    }

    /** Starts to record. {@code load}: its origin. Throws SwitchoverException if nothing can be written. */
    public static Recorder open(RunPlace place, Tree load, IntSupplier users) {
        return open(place, load, users, newBacklog());
    }

    static Recorder open(RunPlace place, Tree load, IntSupplier users, BlockingQueue<WorkerSample> backlog) {
        Recorder recorder = new Recorder(place, load, users, backlog);
        try {
            recorder.writeLoad(LoadFile.RUNNING);
        } catch (RuntimeException error) {
            recorder.journal.close();
            throw error;
        }
        recorder.thread.start();
        return recorder;
    }

    public LoadNotes notes() {
        return notes;
    }

    /**
     * Adds a process of the load before its first sample; false if already added. {@code worker} empty: this process.
     *
     * @throws SwitchoverException with the reason in one line, if its sample log cannot be created
     */
    public boolean began(String worker) {
        return workers.began(worker);
    }

    /** Called when a server has reported the end of its test. */
    public void ended(String worker) {
        workers.ended(worker);
    }

    /** Adds a sample, on the thread that made or received it. Never blocks and never throws. */
    public void record(SampleEvent event, String worker) {
        if (closed) {
            if (isLateReported.compareAndSet(false, true)) {
                log.warn("Switchover: samples arrived after the end of the recording, and are not recorded");
            }
            return;
        }
        try {
            reader.read(event, worker, sample -> leave(new WorkerSample(worker, sample)));
        } catch (RuntimeException error) {
            workers.refused(worker, "a result could not be read: " + error);
        }
    }

    private void leave(WorkerSample taken) {
        if (!backlog.offer(taken)) {
            workers.refused(taken.worker(), "the disk is too slow, and " + backlog.size() + " samples were waiting");
        }
    }

    /** Records the waiting samples, and writes the end of the load to {@code load.json}. A second call does nothing. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
        if (!UninterruptedWait.join(thread, TimeUnit.SECONDS.toNanos(CLOSE_S))) {
            log.error("Switchover: the disk did not take {} samples within {} s", backlog.size(), CLOSE_S);
        }
    }

    /** Records until the end. An error such as lack of memory ends the recording; the load is then incomplete. */
    private void run() {
        String state = LoadFile.RUNNING;
        try {
            recordUntilClosed();
            state = LoadFile.ENDED;
        } catch (RuntimeException | Error defect) {
            notes.warn("the load was not recorded to its end: " + defect);
        } finally {
            end(state);
        }
    }

    private void recordUntilClosed() {
        long pointsNs = System.nanoTime() + POINTS_NS;
        while (!closing) {
            LockSupport.parkNanos(FLUSH_NS);
            drain();
            long nowNs = System.nanoTime();
            if (nowNs >= pointsNs) {
                pointsNs = nowNs + POINTS_NS;
                writePoints(false);
            }
        }
    }

    /** Takes the samples that wait now, so that rows are flushed between two calls. */
    private void drain() {
        List<WorkerSample> waiting = new ArrayList<>();
        backlog.drainTo(waiting, backlog.size());
        for (WorkerSample taken : waiting) {
            try {
                requireNonNull(workers.part(taken.worker())).add(taken.sample());
            } catch (RuntimeException error) {
                workers.refused(taken.worker(), "one could not be recorded: " + error);
            }
        }
        workers.flush();
    }

    private void writePoints(boolean end) {
        // Rows of the last moments may still wait. Points of a second are written once, when the second is complete.
        long nowUs = place.clock().nowUs();
        workers.takePoints(end ? nowUs : nowUs - FLUSH_NS / Units.NS_PER_US, end)
                .forEach(journal::writeLine);
        WorkerPart local = workers.part("");
        if (local != null) {
            journal.writeLine(local.users(users.getAsInt(), nowUs));
        }
    }

    /** {@code state}: the state of the load for {@code load.json}. */
    private void end(String state) {
        drain();
        closed = true;
        drain();
        place.hosts().forEach(this::name);
        writePoints(true);
        workers.close();
        journal.close();
        notes.warnOfEndless();
        workers.warnings().forEach(notes::warn);
        Stream.of(who.warning(), journal.warning()).filter(Objects::nonNull).forEach(notes::warn);
        try {
            writeLoad(state);
        } catch (SwitchoverException error) {
            log.error("Switchover: {}", error.getMessage());
        }
    }

    /** Records a worker without samples, so that a reader does not report the worker as missing. */
    private void name(String worker) {
        try {
            workers.began(worker);
        } catch (SwitchoverException error) {
            notes.warn(error.getMessage());
        }
    }

    private Map<String, Seal> seals() {
        Map<String, Seal> seals = new LinkedHashMap<>(workers.seals());
        seals.put(JOURNAL, journal.seal());
        return seals;
    }

    private void writeLoad(String state) {
        List<String> parts = new ArrayList<>(List.of(JOURNAL));
        parts.addAll(workers.parts());
        Run sealed = new Run(Tree.EMPTY).sealed(state.equals(LoadFile.ENDED) ? seals() : Map.of());
        LoadFile.write(
                place.directory(),
                Tree.of(
                        "state", state,
                        "generator", WorkerPart.GENERATOR,
                        "parts", parts,
                        "seals", sealed.tree().child("seals"),
                        "workers", workers.facts(),
                        "clocks", place.servers().residuals(),
                        "settings", notes.load(),
                        "warnings", notes.warnings()));
    }

    /**
     * The samples that are not written yet. Adding never blocks.
     *
     * <p>The queue is emptied several times a second, so it fills up only while the disk accepts no data. Its limit is
     * a quarter of the memory: with JMeter's default of 1 GB, 20,000 samples/s for 22 s. Further samples are refused.
     */
    static BlockingQueue<WorkerSample> newBacklog() {
        long limit = Runtime.getRuntime().maxMemory() / BACKLOG_SHARE / SAMPLE_BYTES;
        return new LinkedBlockingQueue<>((int) Math.min(Integer.MAX_VALUE, limit));
    }

    /** The recorded parts of a result, without body and headers. {@code worker} empty: this process. */
    record WorkerSample(String worker, Sample sample) {}

    /** The run directory of a recorded load. {@code hosts}: JMeter's names of the servers so far; empty: this JVM. */
    public record RunPlace(
            Path directory,
            String run,
            IdentitySettings identity,
            long lateUs,
            RunClock clock,
            Set<String> hosts,
            ServerClocks servers) {}
}
