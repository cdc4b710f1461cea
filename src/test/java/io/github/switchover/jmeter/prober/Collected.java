package io.github.switchover.jmeter.prober;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The probes that a prober gives away. */
final class Collected implements ProbeSink {

    final List<ProbeResult> probes = new ArrayList<>();
    final List<Long> seconds = new ArrayList<>();
    private final CountDownLatch wanted;
    volatile boolean closed;

    Collected(int wanted) {
        this.wanted = new CountDownLatch(wanted);
    }

    void await() throws InterruptedException {
        assertThat(wanted.await(60, TimeUnit.SECONDS)).isTrue();
    }

    List<ProbeResult> inOrderOfDueTimes() {
        return probes.stream()
                .sorted((a, b) -> Long.compare(a.intendedUs(), b.intendedUs()))
                .toList();
    }

    @Override
    public void take(List<ProbeResult> more) {
        probes.addAll(more);
        more.forEach(probe -> wanted.countDown());
    }

    @Override
    public void secondPassed(long beforeUs) {
        seconds.add(beforeUs);
    }

    @Override
    public void close() {
        closed = true;
    }
}
