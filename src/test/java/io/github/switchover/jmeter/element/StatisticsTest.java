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
    void only_the_proxies_that_are_named_are_told() {
        HaproxyStats sampler = haproxy("unix:" + pair.adminSocket());
        sampler.setProperty("proxies", "web, nothing");
        sampler.setProperty("prefix", "h");
        assertThat(sampler.sample(null).getResponseDataAsString().lines()).allMatch(line -> line.startsWith("web "));
        assertThat(variables.get("h_web_BACKEND_status")).isNotNull();
        assertThat(variables.get("h_shop_FRONTEND_stot")).isNull();
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
        assertThat(sampler.sample(null).getResponseMessage()).contains("no stub_status page");
        assertThat(variables.get("nginx_requests")).isNull();
    }

    @Test
    void what_is_not_filled_in_is_said() {
        HaproxyStats sampler = Plan.element(new HaproxyStats());
        assertThat(sampler.sample(null).getResponseMessage()).isEqualTo("nothing to ask: fill in Node, or Source");
        sampler.setProperty("node", "lb1");
        assertThat(sampler.sample(null).getResponseMessage()).startsWith("the node is not known: no Balancer Target");
        sampler.setProperty("source", "somewhere");
        assertThat(sampler.sample(null).getResponseMessage()).startsWith("Source: 'somewhere' is none");
    }

    private static HaproxyStats haproxy(String source) {
        HaproxyStats sampler = Plan.element(new HaproxyStats());
        sampler.setProperty("timeout", PATIENCE);
        sampler.setProperty("source", source);
        return sampler;
    }
}
