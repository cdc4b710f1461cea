package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.Plan;
import io.github.switchover.jmeter.RecordedRun;
import io.github.switchover.jmeter.Shop;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.http.ReservedPort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.JMeterVariables;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(JMeterHome.class)
class BalancerProbeTest {

    /** A JVM that has just begun on a busy machine may be slower than a probe usually waits. */
    private static final String PATIENCE = "60s";

    @TempDir
    Path out;

    private final Shop shop = new Shop();
    private final BalancerProbe probe = new BalancerProbe();
    private final JMeterVariables variables = new JMeterVariables();

    @BeforeEach
    void thread() {
        JMeterContextService.getContext().setVariables(variables);
        probe.setName("probe");
        probe.setProperty("timeoutConnect", PATIENCE);
        probe.setProperty("timeoutRead", PATIENCE);
    }

    @AfterEach
    void close() {
        probe.threadFinished();
        shop.close();
    }

    @Test
    void an_answer_is_there_for_assertions_and_its_sender_in_the_variables() {
        probe.setProperty("url", shop.url("/page"));
        SampleResult result = probe.sample(null);
        assertThat(result.isSuccessful()).isTrue();
        assertThat(result.getResponseCode()).isEqualTo("200");
        assertThat(result.getResponseDataAsString()).isEqualTo("hello");
        assertThat(result.getResponseHeaders()).startsWith("HTTP/1.1 200 OK\nX-Backend: web");
        assertThat(result.getUrlAsString()).isEqualTo(shop.url("/page"));
        assertThat(result.getContentType()).isEqualTo("text/plain");
        assertThat(result.getBytesAsLong()).isGreaterThan(5);
        assertThat(variables.get("backend")).startsWith("web");
        assertThat(variables.get("balancer")).isEqualTo("lb1");
        assertThat(variables.get("answered_by")).isEqualTo("backend");
    }

    @Test
    void fresh_connections_are_new_ones_and_a_kept_one_is_the_threads_own() {
        probe.setProperty("url", shop.url("/page"));
        for (int i = 0; i < 3; i++) {
            assertThat(probe.sample(null).isSuccessful()).isTrue();
        }
        assertThat(shop.connections()).isEqualTo(3);
        probe.setProperty("connection", "kept");
        for (int i = 0; i < 3; i++) {
            assertThat(probe.sample(null).isSuccessful()).isTrue();
        }
        assertThat(shop.connections()).isEqualTo(4);
    }

    @Test
    void what_cannot_be_sent_is_one_line_and_a_failed_sample() {
        assertRefused("there is no URL to probe: fill in URL, or put a Balancer Target into the plan");
        probe.setProperty("url", "ftp://x/");
        assertThat(probe.sample(null).isSuccessful()).isFalse();
        probe.setProperty("url", shop.url("/page"));
        probe.setProperty("connection", "sometimes");
        assertRefused("Connection: 'sometimes' is invalid: write fresh or kept");
        probe.setProperty("connection", "fresh");
        probe.setProperty("timeoutConnect", "soon");
        String field = ElementTable.of(BalancerProbe.class).title("timeoutConnect");
        assertRefused(field + ": 'soon' is not a duration: write 250ms, 5s, 1.5 or 2min");
        probe.setProperty("timeoutConnect", "0");
        assertRefused("the connect timeout must be above 0 and at most 300 s, not 0");
        probe.setProperty("timeoutConnect", "");
        probe.setProperty("method", "post");
        assertRefused("Balancer Probe sends GET with the headers of the target file: use an HTTP Request sampler for"
                + " another method, header or body");
    }

    @Test
    void in_a_plan_its_rows_are_exact_and_it_leaves_no_connection() throws IOException {
        SwitchoverListener listener = new SwitchoverListener();
        JMeterUtils.setProperty("switchover.out", out.toString());
        try (ReservedPort nobody = new ReservedPort()) {
            new Plan()
                    .with(listener)
                    .group(
                            3,
                            10,
                            probe("kept", shop.url("/page"), "kept"),
                            probe("fresh", shop.url("/page"), "fresh"),
                            probe("refused", "http://127.0.0.1:" + nobody.number() + "/", "fresh"))
                    .run();
        } finally {
            JMeterUtils.getJMeterProperties().remove("switchover.out");
        }
        List<Sample> samples = RecordedRun.under(out).samples();
        assertThat(samples).hasSize(90);
        assertThat(of(samples, "kept")).allSatisfy(sample -> {
            assertThat(sample.request().stream()).isEqualTo("kept");
            assertThat(sample.success()).isTrue();
            assertThat(sample.identity().backend()).startsWith("web");
        });
        assertThat(of(samples, "fresh"))
                .allSatisfy(sample -> assertThat(sample.request().stream()).isEqualTo("fresh"));
        assertThat(of(samples, "refused"))
                .allSatisfy(sample -> assertThat(sample.error()).isEqualTo(FailureKind.REFUSED));
        assertThat(samples.stream().filter(sample -> sample.startUs() % 1000 == 500))
                .as("rounded to milliseconds")
                .hasSizeLessThan(30);
        assertThat(shop.connections()).isEqualTo(3 + 30);
    }

    private static List<Sample> of(List<Sample> samples, String label) {
        List<Sample> found = samples.stream()
                .filter(sample -> sample.request().label().equals(label))
                .toList();
        assertThat(found).hasSize(30);
        return found;
    }

    private static BalancerProbe probe(String name, String url, String connection) {
        BalancerProbe probe = new BalancerProbe();
        probe.setName(name);
        probe.setProperty("url", url);
        probe.setProperty("connection", connection);
        probe.setProperty("timeoutConnect", PATIENCE);
        probe.setProperty("timeoutRead", PATIENCE);
        return probe;
    }

    private void assertRefused(String line) {
        SampleResult result = probe.sample(null);
        assertThat(result.isSuccessful()).isFalse();
        assertThat(result.getResponseCode()).isEqualTo("Non HTTP response code: generator");
        assertThat(result.getResponseMessage()).isEqualTo(line);
    }
}
