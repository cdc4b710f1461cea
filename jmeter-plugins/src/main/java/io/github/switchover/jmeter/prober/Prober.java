package io.github.switchover.jmeter.prober;

import com.sun.management.UnixOperatingSystemMXBean;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.core.ReadableText;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Seal;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.HeadReader;
import io.github.switchover.jmeter.run.ProbeAccount;
import java.lang.management.ManagementFactory;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;

/** A running prober. Two may run in one JVM; each is started once and stopped once. Thread-safe. */
public final class Prober implements AutoCloseable {

    private final RunClock clock;
    private final ProberSettings settings;
    private final IdentityReader who;
    private final String warning;
    private final Loop loop;
    private final Alarm alarm;
    private final ProbeQueue queue;
    private final Threads threads;
    private final ProberAccount figures = new ProberAccount();
    private volatile ProberProgress progress;
    private boolean stopping;
    private ProbeAccount account;

    private Prober(
            ProberSettings settings, IdentitySettings identity, RunClock clock, ProbeSink sink, Threads threads) {
        this.settings = settings;
        this.clock = clock;
        this.threads = threads;
        Destination destination = resolve(settings);
        who = new IdentityReader(identity);
        warning = descriptorWarning(settings.openAtMost());
        queue = new ProbeQueue(sink);
        ProbeStreams streams = ProbeStreams.of(settings, destination, clock);
        loop = new Loop(
                clock,
                new HeadReader(who, identity.stickyCookie()),
                settings.lateNs(),
                streams.feeds(),
                queue,
                this::secondPassed,
                threads::giveBackPunctuality);
        alarm = new Alarm(streams.alarms(), loop::wake);
    }

    /**
     * Starts it; the first probe is sent after the head start. The sink is closed when it ends, also if it
     * cannot start.
     *
     * @throws SwitchoverException in one line, if there is nothing that could be probed
     */
    public static Prober start(ProberSettings settings, IdentitySettings identity, RunClock clock, ProbeSink sink) {
        Threads threads = new Threads();
        try {
            Warmup.run(clock, settings.endpoint().isTls());
            // Before the first due time is settled: on a busy machine it takes longer than many probes.
            threads.becomePunctual();
            Prober prober = new Prober(settings, identity, clock, sink, threads);
            threads.begin(prober.loop, prober.alarm, prober.queue);
            return prober;
        } catch (RuntimeException error) {
            threads.cancel();
            sink.close();
            throw error;
        }
    }

    /** What the operating system calls the thread that sends the probes; empty if that cannot be told. */
    public String thread() {
        return threads.sender();
    }

    /** The latest state of the fresh stream, at most about a second old; null before the first. */
    public ProberProgress progress() {
        return progress;
    }

    /** Why it ended without having been told to; null while it runs and after {@link #stop}. */
    public synchronized String died() {
        return stopping || threads.isLoopAlive() ? null : reason();
    }

    /**
     * Ends it, waits for the probes under way, and returns its account; again, the same account.
     *
     * <p>One that did not end in order has the counts that were last known, and a {@code warning}.
     */
    public ProbeAccount stop() {
        synchronized (this) {
            if (account != null) {
                return account;
            }
            stopping = true;
        }
        loop.stop();
        alarm.stop();
        boolean inOrder = threads.end(queue, settings.timeouts().totalNs());
        synchronized (this) {
            if (account == null) {
                account = inOrder && threads.failure() == null
                        ? figures.closing(loop.feeds(), clock.anchorNs(), threads, queue, warning())
                        : ProbeAccount.ofDead(lastRecorded(), queue.lost(), reason());
            }
            return account;
        }
    }

    /** Of its files by their names; empty until it has been stopped, and where it did not end in order. */
    public synchronized Map<String, List<Seal>> seals() {
        return account != null && account.isComplete() ? queue.seals() : Map.of();
    }

    @Override
    public void close() {
        stop();
    }

    /** What it has to say of itself, if it ended in order; null: nothing. */
    private String warning() {
        boolean names = who.backends().overflowed() || who.balancers().overflowed();
        return warning == null && names
                ? "more than 256 names of backends or balancers: the rest are 'other'"
                : warning;
    }

    /** Null if nothing is known of the fresh stream. */
    private Long lastRecorded() {
        ProberProgress last = progress;
        return last == null ? null : (Long) (last.sent() - last.open());
    }

    private String reason() {
        Throwable failure = threads.failure();
        return failure == null ? "the prober did not end in time" : "the prober ended: " + failure;
    }

    /** On the loop's thread. */
    private void secondPassed(Loop turning) {
        progress = turning.feeds().get(ProbeStream.FRESH).account().progress();
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

    /**
     * A warning if so many connections more than now may be too many; else null. Open files are a limit of the client: an
     * outage in which every probe hangs must not run into it.
     */
    private static String descriptorWarning(long connections) {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            long limit = system.getMaxFileDescriptorCount();
            if (system.getOpenFileDescriptorCount() + connections > limit) {
                return "up to " + connections + " connections can be open at this rate and these timeouts, and the "
                        + "limit of open files is " + limit
                        + ": raise it (ulimit -n), or some probes end as generator errors";
            }
        }
        return null;
    }
}
