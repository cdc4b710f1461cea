package io.github.switchover.jmeter.element;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import java.util.List;
import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testbeans.TestBean;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.JMeterVariables;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(JMeterHome.class)
class WhoAnsweredTest {

    private final JMeterVariables variables = new JMeterVariables();
    private final WhoAnswered element = new WhoAnswered();

    @BeforeEach
    void thread() {
        JMeterContextService.getContext().setVariables(variables);
        element.setThreadContext(JMeterContextService.getContext());
    }

    @Test
    void a_failed_sample_does_not_inherit_the_last_backend() {
        answered("HTTP/1.1 200 OK\nX-Backend: web1\nX-Balancer: lb1\n");
        SampleResult failed = new SampleResult();
        failed.setSuccessful(false);
        failed.setResponseCode("Non HTTP response code: java.net.SocketTimeoutException");
        process(failed);
        assertVariables("", "", "none");
    }

    @Test
    void headers_with_names_of_their_own() {
        element.setProperty("backendHeader", "Served-By");
        element.setProperty("balancerHeader", "Via");
        answered("HTTP/1.1 200 OK\nX-Backend: wrong\nServed-By: s1\nVia: edge\n");
        assertVariables("s1", "edge", "backend");
    }

    @Test
    void a_header_of_which_a_wanted_name_is_the_beginning_is_another_one() {
        answered("HTTP/1.1 200 OK\nX-Backend-Time: 3\nX-Balancer-Id: 4\n");
        assertVariables("", "", "unknown");
    }

    @Test
    void a_threads_own_reads_its_fields_once_and_is_no_bean() {
        element.setProperty("backendHeader", "Served-By");
        assertThat(element.clone()).isInstanceOf(WhoAnswered.class);
        element.setRunningVersion(true);
        PostProcessor own = (PostProcessor) element.clone();
        assertThat(own).isNotInstanceOf(TestBean.class);
        for (String server : List.of("s1", "s2")) {
            JMeterContextService.getContext()
                    .setPreviousResult(answer("X-Backend: wrong\nServed-By: " + server + "\n"));
            own.process();
            assertVariables(server, "", "backend");
        }
    }

    private void answered(String headers) {
        process(answer(headers));
    }

    private static SampleResult answer(String headers) {
        SampleResult result = new SampleResult();
        result.setSuccessful(true);
        result.setResponseCode("200");
        result.setResponseHeaders(headers);
        return result;
    }

    private void process(SampleResult result) {
        JMeterContextService.getContext().setPreviousResult(result);
        element.process();
    }

    private void assertVariables(String backend, String balancer, String answeredBy) {
        assertThat(variables.get("backend")).isEqualTo(backend);
        assertThat(variables.get("balancer")).isEqualTo(balancer);
        assertThat(variables.get("answered_by")).isEqualTo(answeredBy);
    }
}
