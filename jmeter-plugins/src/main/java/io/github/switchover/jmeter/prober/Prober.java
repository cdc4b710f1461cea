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
import io.github.switchover.jmeter.prober.ProbeResult.ProbeStream;
import io.github.switchover.jmeter.prober.Schedule.Alarm;
import io.github.switchover.jmeter.prober.Schedule.Rate;
import io.github.switchover.jmeter.run.Seal;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** A running prober. Two probers may run in one JVM. Each prober starts once and stops once. Thread-safe. */
public final class Prober implements AutoCloseable {

    private final RunClock clock;
    private final ProberSettings settings;
    private final IdentityReader who;
    private final Loop loop;
    private final Alarm alarm;
    private final ProbeQueue queue;
    private final Threads threads;
    private final ProberAccount figures = new ProberAccount();
    private volatile ProberProgress progress;
    private boolean stopping;
    private Tree account;

    private Prober(ProberSettings settings, IdentitySettings identity, RunClock clock, ProbeSink sink) {
        this.settings = settings;
        this.clock = clock;
        Destination destination = resolve(settings);
        who = new IdentityReader(identity);
        queue = new ProbeQueue(sink);
        ProbeStreams streams = ProbeStreams.of(settings, destination, clock);
        loop = new Loop(
                clock,
                new HeadReader(who, identity.stickyCookie()),
                settings.lateNs(),
                streams.feeds(),
                queue,
                this::secondPassed);
        alarm = new Alarm(streams.alarms(), loop::wake);
        threads = new Threads(loop, alarm, queue);
    }

    /**
     * Starts the prober. The first probe is sent after the head start. The sink is closed when the prober ends, or if
     * it cannot start.
     *
     * @throws SwitchoverException with the reason in one line, if no probe can be sent
     */
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

    /** Returns the latest state of the fresh stream, at most about a second old; null before the first state. */
    public ProberProgress progress() {
        return progress;
    }

    /** Returns the reason why the prober ended without {@link #stop}; otherwise null. */
    public synchronized String died() {
        return stopping || threads.isLoopAlive() ? null : reason();
    }

    /**
     * Stops the prober, waits for the probes in flight, and returns the prober's counts for run.json. A second call
     * returns the same counts.
     *
     * <p>If the prober did not end normally, these are the last known counts, with a {@code warning}.
     */
    public Tree stop() {
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
                        : Tree.of("recorded", lastRecorded(), "lost", queue.lost(), "warning", reason());
            }
            return account;
        }
    }

    /** Returns the seals of the files by their names; empty before the stop, and if the prober did not end normally. */
    public synchronized Map<String, Seal> seals() {
        return account != null && account.has("scheduled") ? queue.seals() : Map.of();
    }

    @Override
    public void close() {
        stop();
    }

    /** Returns the warning about a prober that ended normally; null: none. */
    private String warning() {
        boolean names = who.backends().overflowed() || who.balancers().overflowed();
        return names ? "more than 256 names of backends or balancers: the rest are 'other'" : null;
    }

    /** Returns the number of recorded probes; null if nothing is known about the fresh stream. */
    private Long lastRecorded() {
        ProberProgress last = progress;
        return last == null ? null : (Long) (last.sent() - last.open());
    }

    private String reason() {
        Throwable failure = threads.failure();
        return failure == null ? "the prober did not end in time" : "the prober ended: " + failure;
    }

    /** Called on the loop's thread. */
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
     * The requests of the prober, and their times.
     *
     * @param feeds the streams of the loop
     * @param alarms second copies of the schedules, for the alarm
     */
    record ProbeStreams(Map<ProbeStream, Loop.Feed> feeds, List<Schedule> alarms) {

        /** The User-Agent header of every probe. */
        private static final String USER_AGENT = "switchover-prober";

        /** The first probe is due one head start from now. */
        static ProbeStreams of(ProberSettings settings, Destination destination, RunClock clock) {
            ProbeStreams streams = new ProbeStreams(new EnumMap<>(ProbeStream.class), new ArrayList<>());
            long startNs = firstDueNs(settings, clock);
            streams.add(ProbeStream.FRESH, settings, destination, settings.rate(), startNs);
            if (settings.keptRate() > 0) {
                // The kept stream starts half an interval later, so that neither stream delays the other. Its start is
                // also on a whole µs.
                long keptNs = startNs
                        + Math.round(0.5 * Units.NS_PER_S / settings.rate()) / Units.NS_PER_US * Units.NS_PER_US;
                streams.add(ProbeStream.KEPT, settings, destination, settings.keptRate(), keptNs);
            }
            return streams;
        }

        /**
         * Returns a time on a whole µs of the run's clock, so that recorded scheduled times are exactly on the grid.
         */
        private static long firstDueNs(ProberSettings settings, RunClock clock) {
            long us = (clock.nowNs() + settings.headStartNs()) / Units.NS_PER_US;
            return us * Units.NS_PER_US - clock.anchorNs();
        }

        private void add(
                ProbeStream stream, ProberSettings settings, Destination destination, double perSecond, long t0Ns) {
            Rate rate = Rate.of(perSecond);
            boolean keep = stream == ProbeStream.KEPT;
            Request request = Request.get(settings.endpoint(), destination, settings.timeouts(), USER_AGENT, keep, 0);
            feeds.put(stream, new Loop.Feed(new StreamAccount(new Schedule(t0Ns, rate, settings.staleNs())), request));
            alarms.add(new Schedule(t0Ns, rate, settings.staleNs()));
        }
    }

    /** Computes the account of a prober that ended normally. Created when the prober starts. */
    static final class ProberAccount {

        private final long startedNs = System.nanoTime();

        Tree closing(
                Map<ProbeStream, Loop.Feed> feeds, long anchorNs, Threads threads, ProbeQueue queue, String warning) {
            Loop.Feed kept = feeds.get(ProbeStream.KEPT);
            return feeds.get(ProbeStream.FRESH)
                    .account()
                    .figures(anchorNs)
                    .with("kept", kept == null ? null : kept.account().figures(anchorNs))
                    .with("cpu_percent", cpuPercent(threads.cpuNs()))
                    .with("lost", queue.lost())
                    .with("warning", queue.warning() == null ? warning : queue.warning());
        }

        /** Returns the processor time of all threads of the prober, as a percentage of one core. */
        private double cpuPercent(long cpuNs) {
            return Numbers.round(100.0 * cpuNs / Math.max(1, System.nanoTime() - startedNs), 2);
        }
    }

    /**
     * The recent state of the fresh stream: {@code sent == good + late + failed + open}. Probes that the client could
     * not send are not included.
     *
     * @param late answered as expected, but after the late threshold; not included in {@code good}
     * @param lastError null if no probe failed
     */
    public record ProberProgress(long sent, long good, long late, long failed, long open, FailureKind lastError) {}
}
