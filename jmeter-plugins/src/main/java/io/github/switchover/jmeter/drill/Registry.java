package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.ServerClocks;
import io.github.switchover.jmeter.core.UsageException;
import io.github.switchover.jmeter.engine.ExpectedElements;
import io.github.switchover.jmeter.engine.ServerWatch;
import io.github.switchover.jmeter.recording.RunPlace;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Which run the test of this JVM has, from the first element that hears of its start to the last that hears of its end.
 *
 * <p>JMeter tells elements in the order of the plan, so the one that has the run's settings may be told after one that
 * wants to record; and in remote mode it tells clones of them, once per server. So who takes part says so, and the run
 * ends when the last of them has left, or when those who have not are on servers that are gone.
 */
final class Registry {

    private static final long TICK_NS = 100_000_000;

    private final Path conducted;
    private final RunClock clock;
    private final Consumer<RunResult> told;
    private final ExpectedElements arrivals;
    private final Lock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ServerWatch servers = new ServerWatch(this::lost);
    private final AtExit atExit = new AtExit(this::exit);
    private volatile Session session;
    private volatile RunResult last;

    /** {@code conducted}: where another process conducts the run; null: it does not. */
    Registry(Path conducted, RunClock clock, Consumer<RunResult> told, ExpectedElements arrivals) {
        this.conducted = conducted;
        this.clock = clock;
        this.told = told;
        this.arrivals = arrivals;
    }

    Drill current() {
        Session now = session;
        return now == null ? null : now.drill();
    }

    Target target() {
        Session now = session;
        return now == null ? null : now.target();
    }

    RunClock clock() {
        return clock;
    }

    ServerClocks serverClocks() {
        Session now = session;
        return now == null ? new ServerClocks() : now.servers();
    }

    RunResult last() {
        return last;
    }

    boolean isConducted() {
        return conducted != null;
    }

    void announce(Object element) {
        arrivals.announce(element);
    }

    /** False if the run that it belongs to is over. */
    boolean enter(Object element, String host) {
        lock.lock();
        try {
            if (!arrivals.arrived(element)) {
                return false;
            }
            open().add(element, host);
            servers.watch(host);
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    void begin(Object element, String host, Supplier<DrillSettings> settings) {
        lock.lock();
        try {
            closeTheOneLeftOpen(host);
            if (!enter(element, host)) {
                throw new UsageException("server " + host + " began too late: the run had ended by then");
            }
            session.begin(host, settings);
        } finally {
            lock.unlock();
        }
    }

    <T extends AutoCloseable> T attach(Class<T> kind, Function<RunPlace, T> open, Supplier<DrillSettings> bare) {
        lock.lock();
        try {
            Session now = session;
            if (now == null) {
                throw new UsageException("nothing is recorded: the test is over");
            }
            return now.attach(kind, open, bare);
        } finally {
            lock.unlock();
        }
    }

    RunResult leave(Object element, String host) {
        lock.lock();
        try {
            Session now = session;
            if (now == null || !now.remove(element, host) || !now.isDeserted()) {
                return null;
            }
            return closeUnlessSomebodyComes(now, host);
        } finally {
            lock.unlock();
        }
    }

    /** A server has gone without a word: it is not waited for. */
    private void lost(String host) {
        lock.lock();
        try {
            Session now = session;
            if (now == null || !now.removeAll(host)) {
                return;
            }
            now.warn("server " + host + " went away before its test had ended: what it did last is not known");
            if (now.isDeserted()) {
                closeUnlessSomebodyComes(now, host);
            }
        } finally {
            lock.unlock();
        }
    }

    /** The JVM ends in the middle of a test: what is broken is healed first, and then all is as at a test's end. */
    private void exit() {
        Drill drill = current();
        if (drill != null) {
            drill.interrupt();
        }
        lock.lock();
        try {
            if (session != null) {
                close(session);
            }
        } finally {
            lock.unlock();
        }
    }

    private Session open() {
        if (session == null) {
            session = new Session(conducted, clock);
            atExit.arm();
        }
        return session;
    }

    /** A test whose start broke off in another element is never said to have ended. */
    private void closeTheOneLeftOpen(String host) {
        Session now = session;
        if (now == null || !now.hasBegun(host)) {
            return;
        }
        if (now.isStarting()) {
            throw new UsageException("a plan has one Balancer Target: disable the others");
        }
        now.warn("the test was never said to have ended: the next one has begun");
        close(now);
    }

    /** Null if somebody did, or has ended it meanwhile. */
    private RunResult closeUnlessSomebodyComes(Session now, String host) {
        try {
            while (!host.isEmpty() && isDeserted(now) && arrivals.areExpected()) {
                changed.awaitNanos(TICK_NS);
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
        return isDeserted(now) ? close(now) : null;
    }

    private boolean isDeserted(Session now) {
        return session == now && now.isDeserted();
    }

    private RunResult close(Session now) {
        session = null;
        arrivals.giveUp();
        servers.stop();
        try {
            RunResult finished = now.finish();
            if (finished != null) {
                last = finished;
                told.accept(finished);
            }
            return finished;
        } finally {
            atExit.disarm();
        }
    }
}
