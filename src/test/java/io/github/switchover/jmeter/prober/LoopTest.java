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
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LoopTest {

    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    private static final RunClock CLOCK = RunClock.ofProcess();

    @Test
    void pause_of_the_loop_is_lag_and_what_it_could_not_send_is_a_gap() throws IOException {
        try (TestServer server = new TestServer(TestServer.answers(OK))) {
            Request request = Request.get(
                    Endpoints.at(server.url()),
                    Destination.of(Endpoints.at(server.url())),
                    Timeouts.ofSeconds(5, 5),
                    "test");
            long staleNs = TimeUnit.MILLISECONDS.toNanos(200);
            ProbeAccount account = new ProbeAccount(new Schedule(System.nanoTime(), Rate.of(100), staleNs));
            AtomicReference<Loop> running = new AtomicReference<>();
            Loop loop = new Loop(
                    CLOCK,
                    new HeadReader(new IdentityReader(IdentitySettings.DEFAULT), null),
                    staleNs,
                    account,
                    request,
                    new ProbeQueue(new Collected(0)),
                    () -> {
                        if (account.schedule().scheduled() > 3) {
                            running.get().stop();
                        } else {
                            stand(TimeUnit.MILLISECONDS.toNanos(500));
                        }
                    });
            running.set(loop);
            loop.run();
            Tree figures = account.figures(CLOCK.anchorNs());
            assertThat(figures.number("lag_max_ms")).isGreaterThan(100);
            assertThat(figures.whole("unsent")).isPositive();
            assertThat(figures.array("gaps")).isNotEmpty();
            assertThat(figures.whole("scheduled")).isEqualTo(figures.whole("recorded") + figures.whole("unsent"));
        }
    }

    private static void stand(long ns) {
        long endNs = System.nanoTime() + ns;
        while (System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
    }
}
