package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.Plan;
import io.github.switchover.jmeter.RecordedRun;
import io.github.switchover.jmeter.Shop;
import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.drill.Ours;
import io.github.switchover.jmeter.http.ReservedPort;
import io.github.switchover.jmeter.http.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.jmeter.assertions.ResponseAssertion;
import org.apache.jmeter.config.ConfigTestElement;
import org.apache.jmeter.control.TransactionController;
import org.apache.jmeter.modifiers.SampleTimeout;
import org.apache.jmeter.protocol.http.sampler.HTTPSamplerProxy;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(JMeterHome.class)
class SwitchoverListenerTest {

    @TempDir
    Path out;

    private final Shop shop = new Shop();

    @AfterEach
    void nothing_is_left() throws InterruptedException {
        shop.close();
        Ours.areGone();
        JMeterUtils.getJMeterProperties().remove("switchover.out");
    }

    @Test
    void every_sample_is_a_row_and_counts() {
        record(5, 20);
        RecordedRun run = RecordedRun.under(out.resolve("runs"));
        assertThat(run.samples()).hasSize(100).allSatisfy(sample -> {
            assertThat(sample.success()).isTrue();
            assertThat(sample.identity().balancer()).isEqualTo("lb1");
            assertThat(sample.identity().backend()).startsWith("web");
            assertThat(sample.client().users()).isBetween(1L, 5L);
        });
        assertThat(run.counted()).isEqualTo(100);
        assertThat(run.load().get("state").getAsString()).isEqualTo("ended");
        assertThat(run.directory().resolve("verdict.json")).exists();
    }

    @Test
    void failures_have_their_kinds_and_do_not_inherit_a_backend() throws IOException {
        ResponseAssertion never = new ResponseAssertion();
        never.setTestFieldResponseData();
        never.setToContainsType();
        never.addTestString("no such text");
        try (ReservedPort nobody = new ReservedPort()) {
            new Plan()
                    .with(listener())
                    .group(1, 1, Plan.get("good", shop.port(), "/page"))
                    .inGroup(Plan.get("refused", nobody.number(), "/"))
                    .inGroup(Plan.get("exceeded", shop.port(), "/broken"))
                    .inGroup(Plan.get("wrong", shop.port(), "/page"), never)
                    .run();
        }
        Map<String, Sample> samples = RecordedRun.under(out.resolve("runs")).samples().stream()
                .collect(Collectors.toMap(sample -> sample.request().label(), sample -> sample));
        assertThat(samples.get("good").error()).isNull();
        assertThat(samples.get("refused").error()).isEqualTo(FailureKind.REFUSED);
        assertThat(samples.get("refused").identity().answeredBy().label()).isEqualTo("none");
        assertThat(samples.get("exceeded").error()).isEqualTo(FailureKind.STATUS);
        assertThat(samples.get("exceeded").identity().answeredBy().label()).isEqualTo("balancer");
        assertThat(samples.get("wrong").error()).isEqualTo(FailureKind.ASSERTION);
        assertThat(samples.get("wrong").identity().answeredBy().label()).isEqualTo("backend");
    }

    @ParameterizedTest
    @ValueSource(strings = {"HttpClient4", "Java", "Balancer Probe"})
    void a_request_that_is_cut_has_failed_unless_its_thread_was_stopped(String client) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (TestServer silent = new TestServer((connection, over) -> {
            if (TestServer.readRequest(connection)) {
                asked.incrementAndGet();
            }
            over.await();
        })) {
            SampleTimeout timeout = new SampleTimeout();
            // JMeter cannot cut a request that its client has not begun, and then waits for ever. A connection alone
            // is too early: the client may still be about to send.
            timeout.setTimeout("3000");
            new Plan()
                    .with(listener(), timeout)
                    .group(1, 2, asking(client, silent))
                    .run();
            Until.reached(() -> asked.get() == 2);
            Plan.Running running = new Plan()
                    .with(listener())
                    .group(1, 1, asking(client, silent))
                    .start();
            Until.reached(() -> asked.get() == 3);
            running.stop(true);
            running.awaitEnd();
        }
        assertThat(runs())
                .map(run -> new RecordedRun(run)
                        .samples().stream().map(Sample::error).toList())
                .containsExactly(
                        List.of(FailureKind.READ_TIMEOUT, FailureKind.READ_TIMEOUT), List.of(FailureKind.GENERATOR));
        assertThat(new RecordedRun(runs().get(0))
                        .load()
                        .getAsJsonArray("warnings")
                        .toString())
                .doesNotContain("without a time-out");
    }

    private static TestElement asking(String client, TestServer server) {
        if (client.equals("Balancer Probe")) {
            return Plan.element(new BalancerProbe(), "url", server.url(), "timeoutRead", "60s");
        }
        HTTPSamplerProxy sampler = Plan.get("hangs", server.port(), "/");
        sampler.setImplementation(client);
        sampler.setConnectTimeout("");
        sampler.setResponseTimeout("");
        return sampler;
    }

    @Test
    void a_transaction_adds_no_row_whether_or_not_it_hides_its_samples() {
        for (boolean parent : List.of(true, false)) {
            TransactionController transaction = new TransactionController();
            transaction.setName("checkout");
            transaction.setGenerateParentSample(parent);
            new Plan()
                    .with(listener())
                    .group(2, 3)
                    .inGroup(transaction, Plan.get("one", shop.port(), "/page"), Plan.get("two", shop.port(), "/page"))
                    .run();
        }
        assertThat(shop.requests()).isEqualTo(24);
        for (Path directory : runs()) {
            RecordedRun run = new RecordedRun(directory);
            assertThat(run.samples()).hasSize(12);
            assertThat(run.load().getAsJsonArray("warnings").toString()).doesNotContain("checkout");
        }
    }

    @Test
    void two_tests_in_one_jvm_are_two_runs() {
        record(1, 3);
        record(1, 4);
        assertThat(runs().stream().map(path -> new RecordedRun(path).samples().size()))
                .containsExactly(3, 4);
    }

    @Test
    void of_two_listeners_one_records() {
        new Plan()
                .with(listener(), listener())
                .group(1, 3, Plan.get("page", shop.port(), "/page"))
                .run();
        RecordedRun run = RecordedRun.under(out.resolve("runs"));
        assertThat(run.samples()).hasSize(3);
        assertThat(run.load().getAsJsonArray("warnings").toString())
                .containsOnlyOnce("record is a second listener and records nothing");
    }

    @Test
    void the_property_that_made_a_link_stops_the_test_before_its_load() {
        JMeterUtils.setProperty("switchover.link", "this-run");
        try {
            record(1, 1);
        } finally {
            JMeterUtils.getJMeterProperties().remove("switchover.link");
        }
        assertThat(out.resolve("runs")).doesNotExist();
    }

    @Test
    void what_makes_a_load_lie_is_said_once() {
        HTTPSamplerProxy endless = Plan.get("endless", shop.port(), "/page");
        endless.setConnectTimeout("");
        ConfigTestElement defaults = new ConfigTestElement();
        defaults.setProperty("HTTPSampler.response_timeout", "500");
        endless.setResponseTimeout("");
        JMeterUtils.setProperty("httpclient4.retrycount", "2");
        try {
            new Plan()
                    .with(listener(), defaults)
                    .group(2, 3, endless, Plan.get("bounded", shop.port(), "/page"))
                    .run();
        } finally {
            JMeterUtils.setProperty("httpclient4.retrycount", "0");
        }
        String warnings = RecordedRun.under(out.resolve("runs"))
                .load()
                .getAsJsonArray("warnings")
                .toString();
        assertThat(warnings)
                .containsOnlyOnce("endless waits without a time-out")
                .doesNotContain("bounded");
        assertThat(warnings).containsOnlyOnce("httpclient4.retrycount").containsOnlyOnce("keep their connections");
    }

    private void record(int threads, int loops) {
        TestElement page = Plan.get("page", shop.port(), "/page");
        new Plan().with(listener()).group(threads, loops, page).run();
    }

    private SwitchoverListener listener() {
        SwitchoverListener listener = new SwitchoverListener();
        listener.setName("record");
        JMeterUtils.setProperty("switchover.out", out.resolve("runs").toString());
        return listener;
    }

    private List<Path> runs() {
        try (var found = Files.list(out.resolve("runs"))) {
            return found.sorted().toList();
        } catch (IOException error) {
            throw new java.io.UncheckedIOException(error);
        }
    }
}
