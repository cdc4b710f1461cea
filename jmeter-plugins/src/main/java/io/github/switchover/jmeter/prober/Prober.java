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

/** A running prober. Two may run in one JVM; each is started once and stopped once. Thread-safe. */
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
     * Starts it; the first probe is sent after the head start. The sink is closed when it ends, also if it
     * cannot start.
     *
     * @throws SwitchoverException in one line, if there is nothing that could be probed
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

    /** The latest state of the fresh stream, at most about a second old; null before the first. */
    public ProberProgress progress() {
        return progress;
    }

    /** The reason why it ended without {@link #stop}; null while it runs and after {@link #stop}. */
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

    /** The seals of its files by their names; empty until it has been stopped, and if it did not end normally. */
    public synchronized Map<String, Seal> seals() {
        return account != null && account.has("scheduled") ? queue.seals() : Map.of();
    }

    @Override
    public void close() {
        stop();
    }

    /** The warning about its run, if it ended normally; null: none. */
    private String warning() {
        boolean names = who.backends().overflowed() || who.balancers().overflowed();
        return names ? "more than 256 names of backends or balancers: the rest are 'other'" : null;
    }

    /** The number of probes that were recorded; null if nothing is known about the fresh stream. */
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
     * The requests of the prober, and their times.
     *
     * @param feeds the streams of the loop
     * @param alarms second schedules of the same due times, for the alarm
     */
    record ProbeStreams(Map<ProbeStream, Loop.Feed> feeds, List<Schedule> alarms) {

        /** Sent with every probe. */
        private static final String USER_AGENT = "switchover-prober";

        /** The first probe is due one head start from now. */
        static ProbeStreams of(ProberSettings settings, Destination destination, RunClock clock) {
            ProbeStreams streams = new ProbeStreams(new EnumMap<>(ProbeStream.class), new ArrayList<>());
            long startNs = firstDueNs(settings, clock);
            streams.add(ProbeStream.FRESH, settings, destination, settings.rate(), startNs);
            if (settings.keptRate() > 0) {
                // Half an interval apart, so that neither holds up the other; on a whole µs, as the first is.
                long keptNs = startNs
                        + Math.round(0.5 * Units.NS_PER_S / settings.rate()) / Units.NS_PER_US * Units.NS_PER_US;
                streams.add(ProbeStream.KEPT, settings, destination, settings.keptRate(), keptNs);
            }
            return streams;
        }

        /** On a whole µs of the run's clock, so that recorded due times lie exactly on the grid. */
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

    /** Makes the account of a prober that has ended in order; made itself when the prober starts. */
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

        /** The processor time of all its threads, as a percentage of one core. */
        private double cpuPercent(long cpuNs) {
            return Numbers.round(100.0 * cpuNs / Math.max(1, System.nanoTime() - startedNs), 2);
        }
    }

    /**
     * The recent state of the fresh stream: {@code sent == good + late + failed + open}, without the probes that the
     * client could not send.
     *
     * @param late answered as expected, but after the threshold; not counted in {@code good}
     * @param lastError null if there was none
     */
    public record ProberProgress(long sent, long good, long late, long failed, long open, FailureKind lastError) {}
}
