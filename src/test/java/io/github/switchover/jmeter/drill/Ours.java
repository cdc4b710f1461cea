package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.command.Until;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;

/** What of ours runs in this JVM: a test must leave nothing of it. */
public final class Ours {

    private Ours() {}

    public static void areGone() throws InterruptedException {
        Until.reached(() -> threads().isEmpty() && children().isEmpty(), () -> threads() + " " + children());
    }

    /** How many sockets of any kind this JVM has open, where the system tells. */
    public static long sockets() {
        File[] open = new File("/proc/self/fd").listFiles();
        return open == null ? 0 : Stream.of(open).filter(Ours::isSocket).count();
    }

    private static boolean isSocket(File descriptor) {
        try {
            return Files.readSymbolicLink(descriptor.toPath()).toString().startsWith("socket:");
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.matches("(switchover|telemetry|prober|watchdog).*"))
                .toList();
    }

    private static List<String> children() {
        return ProcessHandle.current()
                .descendants()
                .filter(process -> Until.lives(process.pid()))
                .map(process -> process.info().commandLine().orElse("?"))
                .toList();
    }
}
