package io.github.switchover.jmeter.metronome;

import io.github.switchover.jmeter.clock.RunClock;
import io.github.switchover.jmeter.errors.SwitchoverException;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.identity.IdentitySettings;
import io.github.switchover.jmeter.identity.WhoAnswered;
import io.github.switchover.jmeter.text.Numbers;
import io.github.switchover.jmeter.text.Repr;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A running metronome. Two may run in one JVM; each is started once and stopped once. Thread-safe.
 *
 * <p>Its threads: the loop, which owns the sockets; an alarm, which wakes it when a probe is due; and one that gives the
 * probes to the sink.
 */
public final class Metronome implements AutoCloseable {

    /** Sent with every probe. */
    public static final String USER_AGENT = "switchover-metronome";

    /** On top of the probes' own time-outs, for writing on a busy disk. */
    private static final long STOP_TIMEOUT_NS = 10_000_000_000L;

    private static final long NS_PER_US = 1000;

    private final RunClock clock;
    private final MetronomeSettings settings;
    private final Destination destination;
    private final WhoAnswered who;
    private final String warning;
    private final Loop loop;
    private final Alarm alarm;
    private final Handover handover;
    private final List<MetronomeThread> threads;
    private final Pauses pausesBefore = Pauses.soFar();
    private final long startedNs = System.nanoTime();
    private final Map<ProbeStream, MetronomeProgress> progress = new EnumMap<>(ProbeStream.class);
    private boolean realtime;
    private boolean stopping;
    private Map<String, Object> account;

    private Metronome(
            MetronomeSettings settings,
            IdentitySettings identity,
            RunClock clock,
            ProbeSink sink,
            List<MetronomeThread> threads,
            boolean realtime) {
        this.settings = settings;
        this.clock = clock;
        this.threads = threads;
        this.realtime = realtime;
        destination = resolve(settings);
        who = new WhoAnswered(identity);
        warning = Descriptors.warning(settings.openAtMost());
        handover = new Handover(sink);
        long startNs = firstDueNs();
        // Half an interval apart, so that the two streams do not hold up each other; on a whole µs, as the first is.
        long keptNs = startNs + Math.round(0.5e9 / settings.rate()) / NS_PER_US * NS_PER_US;
        Map<ProbeStream, Loop.Feed> feeds = new EnumMap<>(ProbeStream.class);
        List<Schedule> grid = new ArrayList<>();
        add(feeds, grid, ProbeStream.FRESH, settings.rate(), startNs);
        if (settings.keptRate() > 0) {
            add(feeds, grid, ProbeStream.KEPT, settings.keptRate(), keptNs);
        }
        loop = new Loop(
                clock,
                who,
                identity.stickyCookie(),
                settings.lateNs(),
                feeds,
                handover,
                this::secondPassed,
                this::giveBackPunctuality);
        alarm = new Alarm(grid, loop::wake);
    }

    /**
     * Starts it; the first probe is sent after the head start. The sink is closed when it ends, also if it
     * cannot start.
     *
     * @throws SwitchoverException in one line, if there is nothing that could be probed
     */
    public static Metronome start(
            MetronomeSettings settings, IdentitySettings identity, RunClock clock, ProbeSink sink) {
        List<MetronomeThread> threads = List.of(
                new MetronomeThread("metronome"),
                new MetronomeThread("metronome alarm"),
                new MetronomeThread("metronome records"));
        try {
            Warmup.run(clock, settings.endpoint().isTls());
            // Before the first due time is settled: on a busy machine it takes longer than many probes.
            boolean realtime = Punctual.become(threads.get(0).systemName())
                    && Punctual.become(threads.get(1).systemName());
            Metronome metronome = new Metronome(settings, identity, clock, sink, threads, realtime);
            threads.get(0).begin(metronome.loop);
            threads.get(1).begin(metronome.alarm);
            threads.get(2).begin(metronome.handover);
            return metronome;
        } catch (RuntimeException error) {
            threads.forEach(MetronomeThread::cancel);
            sink.close();
            throw error;
        }
    }

    /** Where the URL's name led, {@code 198.18.0.50:80}. */
    public String address() {
        return destination.toString();
    }

    /** The latest state of the fresh stream, at most about a second old; null before the first. */
    public MetronomeProgress progress() {
        return progress(ProbeStream.FRESH);
    }

    /** The same of either stream. */
    public synchronized MetronomeProgress progress(ProbeStream stream) {
        return progress.get(stream);
    }

    /** Why it ended without having been told to; null while it runs and after {@link #stop}. */
    public synchronized String died() {
        return stopping || threads.get(0).isAlive() ? null : reason();
    }

    /**
     * Ends it, waits for the probes under way, and returns its account as run.json has it; again, the same account.
     *
     * <p>One that did not end in order has the counts that were last known, and a {@code warning}.
     */
    public Map<String, Object> stop() {
        synchronized (this) {
            if (account != null) {
                return account;
            }
            stopping = true;
        }
        loop.stop();
        alarm.stop();
        boolean inOrder = ended();
        synchronized (this) {
            if (account == null) {
                account = inOrder && threads.get(0).failure() == null ? closingAccount() : accountOfTheDead();
            }
            return account;
        }
    }

    @Override
    public void close() {
        stop();
    }

    private boolean ended() {
        Timeouts timeouts = settings.timeouts();
        try {
            boolean loopEnded = threads.get(0).join(timeouts.totalNs() + STOP_TIMEOUT_NS);
            boolean alarmEnded = threads.get(1).join(STOP_TIMEOUT_NS);
            if (!handover.end(STOP_TIMEOUT_NS) || !threads.get(2).join(STOP_TIMEOUT_NS)) {
                threads.get(2).interrupt();
                return false;
            }
            return loopEnded && alarmEnded;
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private Map<String, Object> closingAccount() {
        long anchorNs = clock.anchorNs();
        Loop.Feed kept = loop.feeds().get(ProbeStream.KEPT);
        Map<String, Object> figures = new LinkedHashMap<>(
                loop.feeds().get(ProbeStream.FRESH).account().figures(anchorNs));
        figures.put("kept", kept == null ? null : kept.account().figures(anchorNs));
        figures.put("cpu_percent", cpuPercent());
        figures.put("realtime", realtime);
        Pauses pauses = Pauses.soFar().since(pausesBefore);
        figures.put("gc_pauses", pauses.count());
        figures.put("gc_pauses_ms", pauses.ms());
        figures.put("lost", handover.lost());
        figures.put("warning", closingWarning());
        return figures;
    }

    private String closingWarning() {
        if (handover.warning() != null) {
            return handover.warning();
        }
        boolean names = who.backends().overflowed() || who.balancers().overflowed();
        return warning == null && names
                ? "more than 256 names of backends or balancers: the rest are 'other'"
                : warning;
    }

    private Map<String, Object> accountOfTheDead() {
        MetronomeProgress last = progress.get(ProbeStream.FRESH);
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("scheduled", null);
        figures.put("recorded", last == null ? null : last.good() + last.failed() + last.late());
        figures.put("unsent", null);
        figures.put("gaps", List.of());
        figures.put("lost", handover.lost());
        figures.put("warning", reason());
        return figures;
    }

    private String reason() {
        Throwable failure = threads.get(0).failure();
        return failure == null ? "the metronome did not end in time" : "the metronome ended: " + failure;
    }

    /** Of one core, all its threads together. */
    private double cpuPercent() {
        long cpuNs = threads.stream().mapToLong(MetronomeThread::cpuNs).sum();
        return Numbers.round(100.0 * cpuNs / Math.max(1, System.nanoTime() - startedNs), 2);
    }

    /** On the loop's thread. */
    private void secondPassed(Loop turning) {
        Map<ProbeStream, MetronomeProgress> now = new EnumMap<>(ProbeStream.class);
        turning.feeds().forEach((stream, feed) -> now.put(stream, feed.account().progress()));
        synchronized (this) {
            progress.putAll(now);
        }
    }

    /** On the loop's thread. */
    private void giveBackPunctuality() {
        synchronized (this) {
            if (!realtime) {
                return;
            }
            realtime = false;
        }
        Punctual.giveBack(threads.get(0).systemName());
        Punctual.giveBack(threads.get(1).systemName());
    }

    private static Destination resolve(MetronomeSettings settings) {
        try {
            return Destination.of(settings.endpoint());
        } catch (UnknownHostException error) {
            throw new SwitchoverException(
                    "cannot resolve " + Repr.quoted(settings.endpoint().host()) + " (dns): " + error.getMessage()
                            + ": check the host of the URL",
                    error);
        }
    }

    /** On a whole µs of the run's clock, so that recorded due times lie exactly on the grid. */
    private long firstDueNs() {
        long us = (clock.nowNs() + settings.headStartNs()) / NS_PER_US;
        return us * NS_PER_US - clock.anchorNs();
    }

    /** A stream, and a second schedule of the same due times for the alarm. */
    private void add(
            Map<ProbeStream, Loop.Feed> feeds, List<Schedule> grid, ProbeStream stream, double perSecond, long t0Ns) {
        Rate rate = Rate.of(perSecond);
        boolean keep = stream == ProbeStream.KEPT;
        Request request = Request.get(settings.endpoint(), destination, settings.timeouts(), USER_AGENT, keep, 0);
        feeds.put(stream, new Loop.Feed(new StreamAccount(new Schedule(t0Ns, rate, settings.staleNs())), request));
        grid.add(new Schedule(t0Ns, rate, settings.staleNs()));
    }
}
