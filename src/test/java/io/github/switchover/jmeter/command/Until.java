package io.github.switchover.jmeter.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waiting for what another process does. */
public final class Until {

    private static final long BOUND_S = 60;

    private Until() {}

    public static void reached(BooleanSupplier condition) throws InterruptedException {
        reached(condition, () -> "");
    }

    /** {@code instead}: what there is when the time is over. */
    public static void reached(BooleanSupplier condition, Supplier<String> instead) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(BOUND_S);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(instead).isLessThan(deadlineNs);
            Thread.sleep(5);
        }
    }

    /** The first line of a file, once it has one. */
    public static String written(Path file) throws InterruptedException {
        reached(() -> text(file).endsWith("\n"));
        return text(file).strip();
    }

    public static String text(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException error) {
            return "";
        }
    }

    /** A process that has ended, but whom nobody has asked how, does not live. */
    public static boolean lives(long pid) {
        String stat = text(Path.of("/proc", Long.toString(pid), "stat"));
        return !stat.isEmpty() && !stat.substring(stat.lastIndexOf(')') + 2).startsWith("Z");
    }
}
