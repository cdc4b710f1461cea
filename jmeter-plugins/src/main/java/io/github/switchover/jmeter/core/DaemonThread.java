package io.github.switchover.jmeter.core;

import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;

/** A thread that does not keep this JVM alive. */
public final class DaemonThread {

    private DaemonThread() {}

    public static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Applies the work to each item in a separate thread, waits, and returns the results in the order of the items. */
    public static <T, R> List<R> mapAll(String name, List<T> items, Function<T, R> work) {
        List<FutureTask<R>> tasks = items.stream()
                .map(item -> new FutureTask<>(() -> work.apply(item)))
                .toList();
        tasks.forEach(task -> start(name, task));
        return tasks.stream().map(DaemonThread::result).toList();
    }

    private static <R> R result(FutureTask<R> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException error) {
                    interrupted = true;
                } catch (ExecutionException error) {
                    throw error.getCause() instanceof RuntimeException own ? own : new IllegalStateException(error);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
