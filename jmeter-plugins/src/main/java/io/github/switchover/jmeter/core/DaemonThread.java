package io.github.switchover.jmeter.core;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

/** A thread that does not keep this JVM alive. */
public final class DaemonThread {

    public static Thread start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Applies the work to each item in a separate thread, waits, and returns the results in the order of the items. */
    public static <T, R> List<R> mapAll(String name, List<T> items, Function<T, R> work) {
        List<CompletableFuture<R>> tasks = items.stream()
                .map(item -> CompletableFuture.supplyAsync(() -> work.apply(item), task -> start(name, task)))
                .toList();
        return tasks.stream().map(DaemonThread::result).toList();
    }

    private static <R> R result(CompletableFuture<R> task) {
        try {
            return task.join();
        } catch (CompletionException error) {
            throw error.getCause() instanceof RuntimeException own ? own : error;
        }
    }
}
