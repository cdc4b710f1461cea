package io.github.switchover.jmeter.prober;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.Endpoints;
import io.github.switchover.jmeter.http.HeadReader;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.TestServer;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.prober.Schedule.Rate;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LoopTest {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final RunClock CLOCK = RunClock.ofProcess();

    @Test
    void pause_of_the_loop_is_lag_and_what_it_could_not_send_is_a_gap() throws Exception {
        Collected sink = new Collected(0);
        ProbeQueue queue = new ProbeQueue(sink);
        try (TestServer server = new TestServer(TestServer.answers(OK))) {
            Request request = Request.get(
                    Endpoints.at(server.url()),
                    Destination.of(Endpoints.at(server.url())),
                    Timeouts.ofSeconds(5, 5),
                    "test");
            long staleNs = TimeUnit.MILLISECONDS.toNanos(200);
            ProbeAccount account = new ProbeAccount(new Schedule(System.nanoTime(), Rate.of(100), staleNs));
            AtomicInteger seconds = new AtomicInteger();
            AtomicReference<Loop> running = new AtomicReference<>();
            Loop loop = new Loop(
                    CLOCK,
                    new HeadReader(new IdentityReader(IdentitySettings.DEFAULT), null),
                    staleNs,
                    account,
                    request,
                    queue,
                    () -> {
                        if (seconds.getAndIncrement() > 0) {
                            running.get().stop();
                        } else {
                            stand(TimeUnit.MILLISECONDS.toNanos(500));
                        }
                    });
            running.set(loop);
            long beganUs = CLOCK.nowUs();
            loop.run();
            assertThat(queue.end(TimeUnit.SECONDS.toNanos(1))).isTrue();
            queue.run();
            assertThat(sink.seconds)
                    .hasSizeGreaterThan(1)
                    .allSatisfy(atUs -> assertThat(atUs).isBetween(beganUs, CLOCK.nowUs()));
            assertThat(sink.seconds.get(1) - sink.seconds.get(0)).isGreaterThan(990_000);
            Tree figures = account.figures(CLOCK.anchorNs());
            assertThat(figures.number("lag_max_ms")).isGreaterThan(100);
            assertThat(figures.whole("unsent")).isPositive();
            assertThat(figures.array("gaps")).isNotEmpty();
            assertThat((long) sink.probes.size()).isEqualTo(figures.whole("recorded"));
            assertThat(figures.whole("scheduled")).isEqualTo(figures.whole("recorded") + figures.whole("unsent"));
        }
    }

    @Test
    void a_queue_that_is_full_loses_probes_and_closes_its_sink_if_it_is_interrupted() throws InterruptedException {
        Collected sink = new Collected(0);
        ProbeQueue queue = new ProbeQueue(sink);
        for (int batch = 0; batch < 4096 + 2; batch++) {
            queue.give(Collections.nCopies(3, null));
        }
        assertThat(queue.lost()).isEqualTo(6);
        assertThat(queue.end(1)).isFalse();
        Thread.currentThread().interrupt();
        queue.run();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(sink.closed).isTrue();
    }

    private static void stand(long ns) {
        long endNs = System.nanoTime() + ns;
        while (System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
    }
}
