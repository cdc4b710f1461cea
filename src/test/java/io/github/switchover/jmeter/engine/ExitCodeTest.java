package io.github.switchover.jmeter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class ExitCodeTest {

    @Test
    void the_code_is_given_once_the_other_threads_are_done() throws InterruptedException {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        CountDownLatch done = new CountDownLatch(1);
        Thread report = new Thread(() -> {
            try {
                done.await();
            } catch (InterruptedException error) {
                Thread.currentThread().interrupt();
            }
        });
        report.start();
        BlockingQueue<Integer> exits = new LinkedBlockingQueue<>();
        ExitCode.start(before, () -> report.isAlive() ? 99 : 1, exits::add);
        done.countDown();
        assertThat(exits.poll(60, TimeUnit.SECONDS)).isEqualTo(1);
    }

    @Test
    void the_code_is_given_also_where_jmeter_forces_its_own_exit_once_the_other_ends_are_done() throws Exception {
        Process forced = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ForcedExit.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(forced.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(forced.waitFor()).isEqualTo(3);
        assertThat(said.strip()).isEqualTo("another end is done");
    }

    /** A JVM that ends as JMeter does with {@code jmeterengine.force.system.exit}. */
    static final class ForcedExit {

        private ForcedExit() {}

        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(ExitCode.atExit(() -> 3, Runtime.getRuntime()::halt));
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
                System.out.println("another end is done");
            }));
            System.exit(0);
        }
    }
}
