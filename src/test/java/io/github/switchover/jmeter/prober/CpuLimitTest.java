package io.github.switchover.jmeter.prober;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.prober.Loop.CpuLimit;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CpuLimitTest {

    @Test
    void work_without_a_wait_is_noticed_once_it_is_too_much() {
        CpuLimit cpuLimit = new CpuLimit();
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        boolean noticed = false;
        while (!noticed && System.nanoTime() < endNs) {
            noticed = cpuLimit.isTooMuch(false, System.nanoTime());
        }
        assertThat(noticed).isTrue();
        assertThat(cpuLimit.isTooMuch(false, System.nanoTime())).isFalse();
    }
}
