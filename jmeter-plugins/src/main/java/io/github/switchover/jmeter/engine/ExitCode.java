package io.github.switchover.jmeter.engine;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import org.apache.jmeter.util.JMeterUtils;

/**
 * Ends a JMeter without a window with a code that says what came of the run, where the user asks for it. JMeter itself
 * ends with 0 in any case, once its last thread is done; so this waits for that.
 */
public final class ExitCode {

    public static final String PROPERTY = "switchover.exit.code";

    private static final String FORCED_EXIT = "jmeterengine.force.system.exit";
    private static final long LOOK_NS = 50_000_000;

    /** What else is done at the end of a JVM takes no longer. */
    private static final long LONGEST_EXIT_NS = 10_000_000_000L;

    private static final AtomicBoolean asked = new AtomicBoolean();

    private ExitCode() {}

    /** {@code code} is asked when JMeter has nothing more to do; 0 leaves the end to JMeter. */
    public static void endWith(IntSupplier code) {
        boolean isWanted = Boolean.getBoolean("JMeter.NonGui") && JMeterUtils.getPropDefault(PROPERTY, false);
        if (isWanted && asked.compareAndSet(false, true)) {
            if (JMeterUtils.getPropDefault(FORCED_EXIT, false)) {
                Runtime.getRuntime().addShutdownHook(atExit(code, Runtime.getRuntime()::halt));
            } else {
                start(Set.of(), code, System::exit);
            }
        }
    }

    /** JMeter calls {@code System.exit(0)} by itself: the last of what that starts puts the code in the place of the 0. */
    static Thread atExit(IntSupplier code, IntConsumer halt) {
        return new Thread(
                () -> {
                    long limitNs = System.nanoTime() + LONGEST_EXIT_NS;
                    while (System.nanoTime() < limitNs && (!othersHaveBegun() || othersWork(Set.of()))) {
                        LockSupport.parkNanos(LOOK_NS);
                    }
                    int found = code.getAsInt();
                    if (found != 0) {
                        halt.accept(found);
                    }
                },
                "switchover exit code");
    }

    /** {@code known} are threads that are not waited for. */
    static void start(Set<Thread> known, IntSupplier code, IntConsumer exit) {
        Thread waiting = new Thread(
                () -> {
                    while (othersWork(known)) {
                        LockSupport.parkNanos(LOOK_NS);
                    }
                    int found = code.getAsInt();
                    if (found != 0) {
                        exit.accept(found);
                    }
                },
                "switchover exit code");
        waiting.setDaemon(false);
        waiting.start();
    }

    /** All that is done at the end is started before any of it is waited for. */
    private static boolean othersHaveBegun() {
        return Thread.getAllStackTraces().values().stream()
                .anyMatch(stack -> Arrays.stream(stack)
                                .anyMatch(call -> call.getClassName().equals("java.lang.ApplicationShutdownHooks"))
                        && Arrays.stream(stack)
                                .anyMatch(call -> call.getClassName().equals("java.lang.Thread")
                                        && call.getMethodName().equals("join")));
    }

    private static boolean othersWork(Set<Thread> known) {
        return Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(entry -> !known.contains(entry.getKey()) && isBusy(entry.getKey(), entry.getValue()));
    }

    /** The workers of an Open Model Thread Group wait for a minute for more to do: they are done; so is who has called System.exit. */
    private static boolean isBusy(Thread thread, StackTraceElement[] stack) {
        return thread != Thread.currentThread()
                && !thread.isDaemon()
                && !thread.getName().equals("DestroyJavaVM")
                && Arrays.stream(stack)
                        .noneMatch(call -> call.getClassName().equals("java.lang.Shutdown")
                                || (call.getMethodName().equals("getTask")
                                        && call.getClassName().equals(ThreadPoolExecutor.class.getName())));
    }
}
