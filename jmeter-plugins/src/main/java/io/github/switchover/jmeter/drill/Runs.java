package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.core.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.ServerClocks;
import io.github.switchover.jmeter.engine.ClockOwner;
import io.github.switchover.jmeter.engine.ExpectedElements;
import io.github.switchover.jmeter.recording.RunPlace;
import io.github.switchover.jmeter.target.Target;
import java.nio.file.Path;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The one run of the test that is on in this JVM; of the next test, the next.
 *
 * <p>What takes part calls {@link #enter} (or {@link #begin}) when it is told that the test has started, and {@link
 * #leave} when it has ended; the last one out ends the run, which is judged and told then. Where the environment names a
 * run directory, another process conducts the run, and the load is only recorded here. All is thread-safe.
 */
public final class Runs {

    /** The run directory of a run that another process conducts. */
    public static final String DIRECTORY_VARIABLE = "SWITCHOVER_RUN_DIRECTORY";

    private static final Registry OF_THIS_JVM = new Registry(
            directory(System.getenv(DIRECTORY_VARIABLE)),
            RunClock.ofProcess(),
            Announcement::tell,
            new ExpectedElements());

    private static final ClockOwner CLOCK_OWNER = new ClockOwner() {
        @Override
        public RunClock clock() {
            return OF_THIS_JVM.clock();
        }

        @Override
        public ServerClocks serverClocks() {
            return OF_THIS_JVM.serverClocks();
        }

        @Override
        public void enter(Object desk, String server) {
            OF_THIS_JVM.enter(desk, server);
        }

        @Override
        public void leave(Object desk, String server) {
            OF_THIS_JVM.leave(desk, server);
        }
    };

    private Runs() {}

    /** The run that is on; null: none, or one that another process conducts. */
    public static Drill current() {
        return OF_THIS_JVM.current();
    }

    /** What the run of this test is aimed at, also where another process conducts it; null: not known, or there is none. */
    public static Target target() {
        return OF_THIS_JVM.target();
    }

    /** Which headers tell who answered; null: not known. */
    public static IdentitySettings identity() {
        Target target = target();
        return target == null ? null : target.identity();
    }

    /** This JVM's runs, for the servers of a remote test that compare their clocks with it. */
    public static ClockOwner clockOwner() {
        return CLOCK_OWNER;
    }

    /** What came of the last run that ended in this JVM; null before the first. */
    public static RunResult last() {
        return OF_THIS_JVM.last();
    }

    /** Another process conducts the run of this JVM. */
    public static boolean isConducted() {
        return OF_THIS_JVM.isConducted();
    }

    /** Is turned on, and will take part: the run does not end before. */
    public static void announce(Object element) {
        OF_THIS_JVM.announce(element);
    }

    /** Takes part in the test. {@code host} is the server that says so; empty: this JVM. */
    public static void enter(Object element, String host) {
        OF_THIS_JVM.enter(element, host);
    }

    /**
     * Takes part, and starts the run if it is not started. Once per test and host.
     *
     * @throws io.github.switchover.jmeter.core.SwitchoverException in one line, if it cannot start; then nothing is
     *     left, and the test has no run. The element takes part nevertheless: it has to leave.
     */
    public static void begin(Object element, String host, Supplier<DrillSettings> settings) {
        OF_THIS_JVM.begin(element, host, settings);
    }

    /**
     * What records the load of this test: opened at the first call, the same for all that follow. When the last element
     * has left it is closed first, and the run is judged then; so {@code load.json} is to be there once it is closed.
     *
     * <p>To be called at the first sample, or at the end if there was none, not at the test's start: by then the element that
     * knows the run's settings has spoken.
     *
     * @param open makes it; told where
     * @param bare the settings of a run that no Balancer Target has begun; of one that another process conducts, too
     * @throws io.github.switchover.jmeter.core.SwitchoverException if there is no run to record into: it was refused,
     *     cannot be started, or is over
     */
    public static <T extends AutoCloseable> T attach(
            Class<T> kind, Function<RunPlace, T> open, Supplier<DrillSettings> bare) {
        return OF_THIS_JVM.attach(kind, open, bare);
    }

    /** Takes part no longer. What came of the run, where this was the last one and the run is ours; else null. */
    public static RunResult leave(Object element, String host) {
        return OF_THIS_JVM.leave(element, host);
    }

    private static Path directory(String name) {
        return name == null || name.isEmpty() ? null : Path.of(name).toAbsolutePath();
    }
}
