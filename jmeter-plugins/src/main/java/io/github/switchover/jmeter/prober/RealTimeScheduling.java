package io.github.switchover.jmeter.prober;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Punctuality on a busy machine: real-time scheduling for the prober's threads where it is allowed, and given back
 * if it turns out too much. Java has no word for it, so util-linux's {@code chrt} says it, once for each thread.
 *
 * <p>Linux only; without the right to it (root, CAP_SYS_NICE or a limit of rtprio) nothing changes.
 */
final class RealTimeScheduling {

    private static final Path SELF = Path.of("/proc/thread-self");
    private static final long TIMEOUT_S = 5;

    private RealTimeScheduling() {}

    /** What the operating system calls the calling thread; empty where it cannot be told. */
    static String thread() {
        try {
            Path self = Files.readSymbolicLink(SELF);
            return self.getFileName().toString();
        } catch (IOException | UnsupportedOperationException error) {
            return "";
        }
    }

    /** True if that thread has real-time scheduling now, at its lowest priority. */
    static boolean become(String thread) {
        return !thread.isEmpty() && chrt("--rr", "1", thread);
    }

    static void giveBack(String thread) {
        chrt("--other", "0", thread);
    }

    private static boolean chrt(String policy, String priority, String thread) {
        try {
            Process process = new ProcessBuilder(List.of("chrt", policy, "--pid", priority, thread))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
            boolean ended = process.waitFor(TIMEOUT_S, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly();
            }
            return ended && process.exitValue() == 0;
        } catch (IOException error) {
            return false;
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
