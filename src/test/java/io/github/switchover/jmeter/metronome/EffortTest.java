package io.github.switchover.jmeter.metronome;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EffortTest {

    @Test
    void work_without_a_wait_is_noticed_once_it_is_too_much() {
        Effort effort = new Effort();
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        boolean noticed = false;
        while (!noticed && System.nanoTime() < endNs) {
            noticed = effort.isTooMuch(false, System.nanoTime());
        }
        assertThat(noticed).isTrue();
        assertThat(effort.isTooMuch(false, System.nanoTime())).isFalse();
    }
}
