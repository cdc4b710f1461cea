package io.github.switchover.jmeter.drill;

import io.github.switchover.jmeter.process.Until;
import java.util.List;

/** What of ours runs in this JVM: a test must leave nothing of it. */
public final class Ours {

    private Ours() {}

    public static void areGone() throws InterruptedException {
        Until.reached(() -> threads().isEmpty() && children().isEmpty(), () -> threads() + " " + children());
    }

    static List<String> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.matches("(switchover|telemetry|metronome|watchdog).*"))
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
