package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.HeadReader;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.prober.Schedule.Alarm;
import io.github.switchover.jmeter.prober.Schedule.Rate;
import io.github.switchover.jmeter.run.Seal;
import java.net.UnknownHostException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A running prober. Two probers may run in one JVM. Each prober starts once and stops once. Thread-safe. */
public final class Prober implements AutoCloseable {

    /** The User-Agent header of every probe. */
    private static final String USER_AGENT = "switchover-prober";

    private static final double PERCENT = 100;

    private final RunClock clock;
    private final ProberSettings settings;
    private final IdentityReader who;
    private final Loop loop;
    private final Alarm alarm;
    private final ProbeQueue queue;
    private final Threads threads;
    private final ProbeAccount account;
    private final long startedNs = System.nanoTime();
    private volatile @Nullable ProberProgress progress;
    private boolean stopping;
    private @Nullable Tree figures;

    private Prober(ProberSettings settings, IdentitySettings identity, RunClock clock, ProbeSink sink) {
        this.settings = settings;
        this.clock = clock;
        Request request = Request.get(settings.endpoint(), resolve(settings), settings.timeouts(), USER_AGENT);
        who = new IdentityReader(identity);
        queue = new ProbeQueue(sink);
        long firstDueNs = firstDueNs(settings, clock);
        Rate rate = Rate.of(settings.rate());
        account = new ProbeAccount(new Schedule(firstDueNs, rate, settings.staleNs()));
        loop = new Loop(
                clock,
                new HeadReader(who, identity.stickyCookie()),
                settings.lateNs(),
                account,
                request,
                queue,
                () -> progress = account.progress());
        alarm = new Alarm(new Schedule(firstDueNs, rate, settings.staleNs()), loop::wake);
        threads = new Threads(loop, alarm, queue);
    }

    /** Starts the prober, which closes the sink at its end. Throws SwitchoverException if probes cannot be sent. */
    public static Prober start(ProberSettings settings, IdentitySettings identity, RunClock clock, ProbeSink sink) {
        try {
            Warmup.run(settings.endpoint().isTls());
            return new Prober(settings, identity, clock, sink);
        } catch (RuntimeException error) {
            sink.close();
            throw error;
        }
    }

    /** The operating system's name of the thread that sends the probes; empty if it is unknown. */
    public String thread() {
        return threads.sender();
    }

    /** Returns the latest state, at most about a second old; null before the first state. */
    public @Nullable ProberProgress progress() {
        return progress;
    }

    /** Returns the reason why the prober ended without {@link #stop}. */
    public synchronized @Nullable String died() {
        return stopping || threads.isLoopAlive() ? null : reason();
    }

    /** Stops the prober, waits for the probes in flight, and returns the counts for run.json. */
    public Tree stop() {
        synchronized (this) {
            if (figures != null) {
                return figures;
            }
            stopping = true;
        }
        loop.stop();
        alarm.stop();
        boolean inOrder = threads.end(queue, settings.timeouts().totalNs());
        synchronized (this) {
            if (figures == null) {
                figures = inOrder && threads.failure() == null
                        ? closing()
                        : Tree.of("recorded", lastRecorded(), "lost", queue.lost(), "warning", reason());
            }
            return figures;
        }
    }

    /** Returns the seals of the files by file name; empty before the stop, or if the prober did not end normally. */
    public synchronized Map<String, Seal> seals() {
        return figures != null && figures.has("scheduled") ? queue.seals() : Map.of();
    }

    @Override
    public void close() {
        stop();
    }

    /** Returns the counts of a prober that ended normally. */
    private Tree closing() {
        double cpuShare = threads.cpuNs() / (double) Math.max(1, System.nanoTime() - startedNs);
        return account.figures(clock.anchorNs())
                .with("kept", null)
                .with("cpu_percent", Numbers.round(PERCENT * cpuShare, 2))
                .with("lost", queue.lost())
                .with("warning", queue.warning() == null ? who.warning() : queue.warning());
    }

    /** Returns the number of recorded probes. */
    private @Nullable Long lastRecorded() {
        ProberProgress last = progress;
        return last == null ? null : last.sent() - last.open();
    }

    private String reason() {
        Throwable failure = threads.failure();
        return failure == null ? "the prober did not end in time" : "the prober ended: " + failure;
    }

    private static Destination resolve(ProberSettings settings) {
        try {
            return Destination.of(settings.endpoint());
        } catch (UnknownHostException error) {
            throw new SwitchoverException(
                    "cannot resolve " + ReadableText.quoted(settings.endpoint().host()) + " (dns): "
                            + error.getMessage() + ": check the host of the URL",
                    error);
        }
    }

    /** Returns a time on a whole µs of the run's clock, so that recorded scheduled times are exactly on the grid. */
    private static long firstDueNs(ProberSettings settings, RunClock clock) {
        long us = (clock.nowNs() + settings.headStartNs()) / Units.NS_PER_US;
        return us * Units.NS_PER_US - clock.anchorNs();
    }

    /** The recent counts: {@code sent == good + late + failed + open}, without probes that could not be sent. */
    public record ProberProgress(
            long sent,
            long good,
            long late,
            long failed,
            long open,
            @Nullable FailureKind lastError) {}
}
