package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.Plan;
import io.github.switchover.jmeter.drill.Ours;
import io.github.switchover.jmeter.telemetry.LivePair;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.JMeterVariables;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A real HAProxy and a real Nginx, scraped by samplers. */
class StatisticsTest {

    private static final String PATIENCE = "60s";

    @TempDir
    static Path place;

    private static LivePair pair;

    private final JMeterVariables variables = new JMeterVariables();

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        JMeterHome.load();
        pair = new LivePair(place);
    }

    @AfterAll
    static void stop() throws Exception {
        pair.close();
        Ours.areGone();
    }

    @BeforeEach
    void fresh() {
        JMeterContextService.getContext().setVariables(variables);
    }

    static Stream<String> sources() {
        return Stream.of("unix:" + pair.adminSocket(), "tcp://127.0.0.1:" + pair.adminPort(), pair.statsPage());
    }

    @ParameterizedTest
    @MethodSource("sources")
    void haproxy_is_a_sample_with_its_figures_as_variables(String source) {
        HaproxyStats sampler = haproxy(source);
        SampleResult result = sampler.sample(null);
        assertThat(result.isSuccessful()).as(result.getResponseMessage()).isTrue();
        assertThat(result.getResponseDataAsString()).containsPattern("(?m)^web web1 server (UP|no check) .*scur=\\d+");
        assertThat(variables.get("haproxy_web_web1_status")).isNotBlank();
        assertThat(variables.get("haproxy_shop_FRONTEND_stot")).matches("\\d+");
        assertThat(variables.get("haproxy_up")).isEqualTo("1");
        assertThat(result.getSamplerData()).doesNotContain("s%40cret");
    }

    @Test
    void a_dead_socket_is_a_failed_sample_that_leaves_no_figures() {
        HaproxyStats sampler = haproxy("unix:" + pair.adminSocket());
        sampler.sample(null);
        sampler.setProperty("source", "unix:" + place.resolve("none.sock"));
        SampleResult result = sampler.sample(null);
        assertThat(result.isSuccessful()).isFalse();
        assertThat(result.getResponseMessage())
                .contains("none.sock")
                .contains("cannot be read")
                .doesNotContain("\n");
        assertThat(variables.get("haproxy_up")).isNull();
    }

    @Test
    void nginx_is_a_sample_with_its_figures_as_variables() {
        NginxStatus sampler = Plan.element(new NginxStatus());
        sampler.setProperty("timeout", PATIENCE);
        sampler.setProperty("source", pair.statusPage());
        SampleResult result = sampler.sample(null);
        assertThat(result.isSuccessful()).as(result.getResponseMessage()).isTrue();
        assertThat(result.getResponseDataAsString()).containsPattern("(?m)^requests=\\d+$");
        assertThat(Long.parseLong(variables.get("nginx_requests"))).isPositive();
        sampler.setProperty("source", pair.url());
        assertThat(sampler.sample(null).getResponseMessage()).contains("not a stub_status page");
        assertThat(variables.get("nginx_requests")).isNull();
    }

    private static HaproxyStats haproxy(String source) {
        HaproxyStats sampler = Plan.element(new HaproxyStats());
        sampler.setProperty("timeout", PATIENCE);
        sampler.setProperty("source", source);
        return sampler;
    }
}
