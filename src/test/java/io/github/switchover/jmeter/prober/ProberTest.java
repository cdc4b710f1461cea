package io.github.switchover.jmeter.prober;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Outcome;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.SwitchoverException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Tree;
import io.github.switchover.jmeter.http.Endpoints;
import io.github.switchover.jmeter.http.ReservedPort;
import io.github.switchover.jmeter.http.TestServer;
import io.github.switchover.jmeter.http.TestServer.ServerBehaviour;
import io.github.switchover.jmeter.prober.Prober.ProberProgress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class ProberTest {

    private static final String OK =
            "HTTP/1.1 200 OK\r\nX-Backend: web1\r\nX-Balancer: lb1\r\nContent-Length: 2\r\n\r\nok";
    private static final RunClock CLOCK = RunClock.ofProcess();

    @Test
    void every_slot_of_the_grid_is_recorded_with_its_due_and_its_actual_time() throws InterruptedException {
        Collected sink = new Collected(40);
        try (TestServer server = new TestServer(TestServer.answers(OK))) {
            long beganUs = CLOCK.nowUs();
            ProberSettings settings = new ProberSettings(Endpoints.at(server.url()), 200, 20, 20, 1, 0.3);
            Prober prober = Prober.start(settings, IdentitySettings.DEFAULT, CLOCK, sink);
            long startedUs = CLOCK.nowUs();
            assertThat(prober.thread()).isNotEmpty();
            sink.await();
            Tree account = prober.stop();
            assertThat(account.whole("first_due_us")).isBetween(beganUs + 300_000, startedUs + 300_000);
            assertThat(account.number("cpu_percent"))
                    .isBetween(0.01, 100.0 * Runtime.getRuntime().availableProcessors());
            List<ProbeResult> probes = sink.inOrderOfDueTimes();
            assertThat(account.whole("recorded")).isEqualTo((long) probes.size());
            assertThat(account.whole("scheduled")).isEqualTo(probes.size() + account.whole("unsent"));
            // A machine that stands still at the start gives up the first slots.
            assertThat(probes.get(0).intendedUs() - account.whole("first_due_us"))
                    .isBetween(0L, 5000 * account.whole("unsent"));
            assertThat(account.number("rate")).isEqualTo(200.0);
            assertThat(account.has("kept")).isFalse();
            assertThat(account.whole("lost")).isEqualTo(0L);
            assertThat(account.text("warning")).isNull();
            assertThat(account.number("lag_p50_ms")).isPositive();
            assertThat(account.number("lag_p99_ms")).isGreaterThanOrEqualTo(account.number("lag_p50_ms"));
            for (ProbeResult probe : probes) {
                assertThat((probe.intendedUs() - probes.get(0).intendedUs()) % 5000)
                        .isZero();
                assertThat(probe.startUs()).isBetween(probe.intendedUs(), probe.endUs());
                assertThat(probe.outcome()).isNotEqualTo(Outcome.FAILED);
                assertThat(probe.attempt().head().identity().backend()).isEqualTo("web1");
            }
            assertThat(prober.stop()).isSameAs(account);
            assertThat(prober.died()).isNull();
        }
    }

    @Test
    void probes_are_sent_on_time_whatever_became_of_the_earlier_ones() throws InterruptedException {
        Collected sink = new Collected(30);
        try (TestServer server = new TestServer(TestServer.staysSilent())) {
            Prober prober = start(server.url(), 200, 0.25, sink);
            sink.await();
            prober.stop();
        }
        List<ProbeResult> probes = sink.inOrderOfDueTimes();
        assertThat(probes).allSatisfy(probe -> {
            assertThat(probe.outcome()).isEqualTo(Outcome.FAILED);
            assertThat(probe.attempt().error()).isIn(FailureKind.READ_TIMEOUT, FailureKind.CONNECT_TIMEOUT);
        });
        // Many were under way at once.
        assertThat(probes.get(10).startUs()).isLessThan(probes.get(0).endUs());
    }

    @Test
    void refused_probes_are_failures_one_for_each_slot() throws InterruptedException, IOException {
        Collected sink = new Collected(20);
        try (ReservedPort nobody = new ReservedPort()) {
            Prober prober = start("http://127.0.0.1:" + nobody.number() + "/", 200, sink);
            sink.await();
            Tree account = prober.stop();
            assertThat(sink.probes).extracting(probe -> probe.attempt().error()).containsOnly(FailureKind.REFUSED);
            assertThat(account.whole("recorded")).isEqualTo((long) sink.probes.size());
        }
    }

    @Test
    void late_is_reckoned_from_the_due_time() throws InterruptedException {
        Collected sink = new Collected(5);
        try (TestServer server = new TestServer(answersAfter60Ms(() -> OK))) {
            ProberSettings settings = new ProberSettings(Endpoints.at(server.url()), 50, 10, 10, 0.05, 0);
            try (Prober prober = Prober.start(settings, IdentitySettings.DEFAULT, CLOCK, sink)) {
                sink.await();
                assertThat(prober.died()).isNull();
            }
        }
        assertThat(sink.probes)
                .allSatisfy(probe -> assertThat(probe.outcome())
                        .isEqualTo(probe.endUs() - probe.intendedUs() > 50_000 ? Outcome.LATE : Outcome.GOOD));
        assertThat(sink.probes).extracting(ProbeResult::outcome).contains(Outcome.LATE);
    }

    @Test
    void nothing_is_left_of_it_after_its_end() throws InterruptedException {
        Collected sink = new Collected(5);
        try (TestServer server = new TestServer(TestServer.answers(OK))) {
            start(server.url(), 100, sink).stop();
        }
        assertThat(sink.closed).isTrue();
        Set<Thread> left = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("prober"))
                .collect(Collectors.toSet());
        for (Thread thread : left) {
            thread.join(TimeUnit.SECONDS.toMillis(10));
            assertThat(thread.isAlive()).as(thread.getName()).isFalse();
        }
    }

    @Test
    void sink_that_throws_costs_its_probes_and_a_warning_but_not_the_prober() throws InterruptedException {
        CountDownLatch taken = new CountDownLatch(2);
        ProbeSink failing = new ProbeSink() {
            @Override
            public void take(List<ProbeResult> probes) {
                taken.countDown();
                throw new IllegalStateException("no disk");
            }

            @Override
            public long lost() {
                return 2;
            }

            @Override
            public void close() {}
        };
        try (TestServer server = new TestServer(TestServer.answers(OK));
                Prober prober = start(server.url(), 200, failing)) {
            assertThat(taken.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(prober.died()).isNull();
            Tree account = prober.stop();
            assertThat(account.whole("lost")).isEqualTo(account.whole("recorded") + 2);
            assertThat(account.text("warning")).contains("could not be recorded", "no disk");
        }
    }

    @Test
    void what_cannot_be_probed_is_one_line_and_the_sink_is_closed() {
        Collected sink = new Collected(0);
        assertThatThrownBy(() -> start("http://no-such-host.invalid/", 100, sink))
                .isInstanceOf(SwitchoverException.class)
                .hasMessageStartingWith("cannot resolve 'no-such-host.invalid' (dns): ")
                .hasMessageEndingWith(": check the host of the URL");
        assertThat(sink.closed).isTrue();
        assertThatThrownBy(() -> start("http://127.0.0.1/a b", 100, sink)).isInstanceOf(UsageException.class);
        for (double rate : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 20_001}) {
            assertThatThrownBy(() -> start("http://127.0.0.1/", rate, sink))
                    .hasMessage("the probe rate must be above 0 and at most 20000/s, not " + Numbers.general(rate));
        }
    }

    @Test
    void prober_that_ends_on_an_exception_has_the_recorded_count_of_its_last_state() throws InterruptedException {
        Map<String, String> aliases = new AbstractMap<>() {
            @Override
            public boolean containsKey(Object backend) {
                if (backend.equals("web2")) {
                    throw new IllegalStateException("web2");
                }
                return false;
            }

            @Override
            public Set<Map.Entry<String, String>> entrySet() {
                return Set.of();
            }
        };
        IdentitySettings identity = new IdentitySettings("X-Backend", "X-Balancer", "X-Upstream-Time", null, aliases);
        AtomicReference<String> answer = new AtomicReference<>(OK);
        Collected sink = new Collected(0);
        try (TestServer server = new TestServer(answersAfter60Ms(answer::get));
                Prober prober = Prober.start(settings(server.url(), 200, 20), identity, CLOCK, sink)) {
            Until.reached(() -> prober.progress() != null && prober.progress().good() > 0);
            answer.set(OK.replace("web1", "web2"));
            Until.reached(() -> prober.died() != null);
            assertThat(prober.died()).isEqualTo("the prober ended: java.lang.IllegalStateException: web2");
            Tree account = prober.stop();
            assertThat(account.text("warning")).isEqualTo("the prober ended: java.lang.IllegalStateException: web2");
            ProberProgress last = prober.progress();
            assertThat(account.whole("recorded")).isEqualTo(last.good() + last.late() + last.failed());
            assertThat(prober.seals()).isEmpty();
        }
    }

    /** Some probes are always open at a rate of 200/s. */
    private static ServerBehaviour answersAfter60Ms(Supplier<String> answer) {
        return (connection, over) -> {
            TestServer.readRequest(connection);
            over.await(60, TimeUnit.MILLISECONDS);
            connection.getOutputStream().write(answer.get().getBytes(StandardCharsets.US_ASCII));
        };
    }

    /** With probes that wait for a server on a busy machine. */
    private static Prober start(String url, double rate, ProbeSink sink) {
        return start(url, rate, 20, sink);
    }

    private static Prober start(String url, double rate, double timeoutS, ProbeSink sink) {
        return Prober.start(settings(url, rate, timeoutS), IdentitySettings.DEFAULT, CLOCK, sink);
    }

    private static ProberSettings settings(String url, double rate, double timeoutS) {
        return new ProberSettings(Endpoints.at(url), rate, timeoutS, timeoutS, 1, 0.005);
    }
}
