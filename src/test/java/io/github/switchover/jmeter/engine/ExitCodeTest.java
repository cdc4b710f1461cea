package io.github.switchover.jmeter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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
}
