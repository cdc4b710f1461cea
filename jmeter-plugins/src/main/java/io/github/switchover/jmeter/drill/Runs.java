package io.github.switchover.jmeter.drill;

import static java.util.Objects.requireNonNull;

import io.github.switchover.jmeter.core.ConsoleLine;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.engine.ClockQuestions.ClockOwner;
import io.github.switchover.jmeter.engine.ExpectedElements;
import io.github.switchover.jmeter.engine.ServerWatch;
import io.github.switchover.jmeter.recording.Recorder.RunPlace;
import io.github.switchover.jmeter.run.ServerClocks;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The current run of this JVM, from the first element that JMeter notifies to the last. Thread-safe.
 *
 * <p>JMeter notifies elements in the order of the plan, and in remote mode clones of them, once per server. Therefore
 * each participant registers. When the last participant has left, the run ends, is judged and is reported. Participants
 * on servers that disappeared are not awaited. If another process conducts the run, only the load is recorded here.
 */
public final class Runs implements ClockOwner {

    private static final Logger log = LoggerFactory.getLogger(Runs.class);

    /** The environment variable with the run directory, if another process conducts the run. */
    public static final String DIRECTORY_VARIABLE = "SWITCHOVER_RUN_DIRECTORY";

    private static final long TICK_MS = 100;
    private static final Runs OF_THIS_JVM = new Runs(
            directory(System.getenv(DIRECTORY_VARIABLE)), RunClock.ofProcess(), Runs::print, new ExpectedElements());

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(OF_THIS_JVM::exit, "switchover end"));
    }

    private final @Nullable Path conducted;
    private final RunClock clock;
    private final Consumer<RunResult> report;
    private final ExpectedElements arrivals;
    private final ServerWatch servers = new ServerWatch(this::lost);
    private volatile @Nullable Session session;
    private volatile @Nullable RunResult last;

    /** {@code conducted}: the run directory, if another process conducts the run. */
    Runs(@Nullable Path conducted, RunClock clock, Consumer<RunResult> report, ExpectedElements arrivals) {
        this.conducted = conducted;
        this.clock = clock;
        this.report = report;
        this.arrivals = arrivals;
    }

    public static Runs ofThisJvm() {
        return OF_THIS_JVM;
    }

    /** The current run; null: there is none, or another process conducts it. */
    public @Nullable Drill current() {
        Session now = session;
        return now == null ? null : now.drill();
    }

    /** The target of this test's run, even if another process conducts the run. */
    public @Nullable Target target() {
        Session now = session;
        return now == null ? null : now.target();
    }

    /** The names of the headers that identify the answering server. */
    public @Nullable IdentitySettings identity() {
        Target target = target();
        return target == null ? null : target.identity();
    }

    @Override
    public RunClock clock() {
        return clock;
    }

    @Override
    public ServerClocks serverClocks() {
        Session now = session;
        return now == null ? new ServerClocks() : now.servers();
    }

    /** The result of the last ended run. */
    public @Nullable RunResult last() {
        return last;
    }

    /** True if another process conducts the run of this JVM. */
    public boolean isConducted() {
        return conducted != null;
    }

    /** Announces an enabled element that will register later: the run does not end before that. */
    public void announce(Object element) {
        arrivals.announce(element);
    }

    /** Registers a participant on a host (empty: this JVM). Returns false if its run has ended. */
    @Override
    public synchronized boolean enter(Object element, String host) {
        if (!arrivals.arrived(element)) {
            return false;
        }
        open().add(element, host);
        servers.watch(host);
        notifyAll();
        return true;
    }

    /**
     * Registers a participant, and starts the run, once per test and host.
     *
     * @throws SwitchoverException if the run cannot start; the element is registered nevertheless, and must call {@link
     *     #leave}
     */
    public synchronized void begin(Object element, String host, Supplier<DrillSettings> settings) {
        closeTheOneLeftOpen(host);
        if (!enter(element, host)) {
            throw new UsageException("server " + host + " began too late: the run had ended by then");
        }
        requireNonNull(session).begin(host, settings);
    }

    /**
     * Returns the recorder of this test's load, which the first call opens, at the first sample or at the end.
     *
     * <p>By then the element with the settings of the run has registered. When the last element has left, the recorder
     * is closed, and then the run is judged. So closing the recorder must write {@code load.json}.
     *
     * @param open creates the recorder at the given place
     * @param bare the settings of the run if no Balancer Target has started it
     * @throws SwitchoverException if the run was refused, cannot be started, or has ended
     */
    public synchronized <T extends AutoCloseable> T attach(
            Class<T> kind, Function<RunPlace, T> open, Supplier<DrillSettings> bare) {
        Session now = session;
        if (now == null) {
            throw new UsageException("nothing is recorded: the test is over");
        }
        return now.attach(kind, open, bare);
    }

    /** Removes a participant. Returns the result of the run if this was the last, and this JVM conducts the run. */
    @Override
    public synchronized @Nullable RunResult leave(Object element, String host) {
        Session now = session;
        if (now == null || !now.remove(element, host) || !now.isDeserted()) {
            return null;
        }
        return closeUnlessSomebodyComes(now, host);
    }

    /** Removes the participants of a server that disappeared. */
    private synchronized void lost(String host) {
        Session now = session;
        if (now == null || !now.removeAll(host)) {
            return;
        }
        now.lost(host);
        if (now.isDeserted()) {
            closeUnlessSomebodyComes(now, host);
        }
    }

    /** Called if the JVM ends. During a test: heals an open fault first, and then ends the run normally. */
    private void exit() {
        Drill drill = current();
        if (drill != null) {
            drill.interrupt();
        }
        synchronized (this) {
            if (session != null) {
                close(session);
            }
        }
    }

    private Session open() {
        if (session == null) {
            session = new Session(conducted, clock);
        }
        return session;
    }

    /** Closes the run of a test whose start failed in another element: JMeter never reports the end of such a test. */
    private void closeTheOneLeftOpen(String host) {
        Session now = session;
        if (now == null || !now.hasBegun(host)) {
            return;
        }
        if (now.isStarting()) {
            throw new UsageException("the plan has more than one Balancer Target: disable all but one");
        }
        now.warn("JMeter did not report the end of this test before the next test began");
        close(now);
    }

    /** Returns the result of the closed run; null: an element came, or another thread has already ended the run. */
    private @Nullable RunResult closeUnlessSomebodyComes(Session now, String host) {
        try {
            while (!host.isEmpty() && isDeserted(now) && arrivals.areExpected()) {
                wait(TICK_MS);
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        return isDeserted(now) ? close(now) : null;
    }

    private boolean isDeserted(Session now) {
        return session == now && now.isDeserted();
    }

    private @Nullable RunResult close(Session now) {
        arrivals.giveUp();
        servers.stop();
        try {
            RunResult finished = now.finish();
            if (finished != null) {
                last = finished;
                report.accept(finished);
            }
            return finished;
        } finally {
            session = null;
        }
    }

    /** Prints the result in JMeter's log and, without a window, on the console. */
    private static void print(RunResult finished) {
        finished.summary().forEach(line -> log.info("{}", line));
        log.info("Run directory: {}", finished.directory());
        finished.summary().forEach(ConsoleLine::print);
        ConsoleLine.print("Report: switchover report " + finished.directory());
    }

    private static @Nullable Path directory(@Nullable String name) {
        return name == null || name.isEmpty() ? null : Path.of(name).toAbsolutePath();
    }
}
