package io.github.switchover.jmeter.recording;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.JMeterHome;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.engine.ResultTimes;
import io.github.switchover.jmeter.http.ReservedPort;
import io.github.switchover.jmeter.recording.ResultReader.ResultFailure;
import io.github.switchover.jmeter.recording.ResultReader.Sessions;
import io.github.switchover.jmeter.run.ServerClocks;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import org.apache.jmeter.assertions.AssertionResult;
import org.apache.jmeter.protocol.http.sampler.HTTPSampleResult;
import org.apache.jmeter.samplers.SampleResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(JMeterHome.class)
class ResultReaderTest {

    private static final String PAGE = "X-Backend: web1\nX-Balancer: lb1\n";

    @Test
    void a_followed_redirect_is_a_row_for_each_request() {
        SampleResult first = Results.answer("a", "302", "http://vip/moved", "X-Backend: web2\nX-Balancer: lb1\n");
        SampleResult last = Results.answer("a", "200", "http://vip/page", PAGE);
        SampleResult whole = Results.answer("a", "200", "http://vip/page", PAGE);
        whole.addRawSubResult(first);
        whole.addRawSubResult(last);
        whole.setBytes(250L);
        List<Sample> taken = read(whole);
        assertThat(taken).extracting(sample -> sample.request().label()).containsExactly("a-0", "a");
        assertThat(taken).extracting(row -> row.identity().backend()).containsExactly("web2", "web1");
        assertThat(taken.get(1).answer().receivedBytes()).isEqualTo(last.getBytesAsLong());
        assertThat(taken).extracting(sample -> sample.client().users()).containsOnly(7L);
    }

    @Test
    void a_page_and_what_is_embedded_in_it_are_a_row_each() {
        SampleResult whole = Results.answer("a", "200", "http://vip/page", PAGE);
        whole.addRawSubResult(Results.answer("a", "200", "http://vip/page", PAGE));
        whole.addRawSubResult(Results.answer("a", "200", "http://vip/one.png", PAGE));
        SampleResult moved = Results.answer("a", "200", "http://vip/three.png", PAGE);
        moved.addRawSubResult(Results.answer("a", "302", "http://vip/two.png", PAGE));
        moved.addRawSubResult(Results.answer("a", "200", "http://vip/three.png", PAGE));
        whole.addRawSubResult(moved);
        assertThat(read(whole))
                .extracting(sample -> sample.request().url())
                .containsExactly("http://vip/one.png", "http://vip/two.png", "http://vip/three.png", "http://vip/page");
    }

    @Test
    void a_page_has_its_own_time_and_does_not_fail_with_what_is_embedded_in_it() {
        SampleResult page = Results.at(Results.answer("a-0", "200", "http://vip/page", PAGE), 1_000, 1_008);
        SampleResult image = Results.answer("a-1", "404", "http://vip/one.png", PAGE);
        SampleResult whole = Results.at(Results.answer("a", "200", "http://vip/page", PAGE), 1_000, 1_925);
        whole.addRawSubResult(page);
        whole.addRawSubResult(image);
        whole.setSuccessful(false);
        whole.setSampleLabel("a");
        Sample row = read(whole).get(1);
        assertThat(row.request().label()).isEqualTo("a");
        assertThat(row.endUs() - row.startUs()).isEqualTo(8_000);
        assertThat(row.success()).isTrue();
        assertThat(row.error()).isNull();
    }

    @Test
    void a_page_fails_by_its_own_assertion() {
        SampleResult whole = Results.answer("a", "200", "http://vip/page", PAGE);
        whole.addRawSubResult(Results.answer("a", "200", "http://vip/page", PAGE));
        whole.addRawSubResult(Results.answer("a", "404", "http://vip/one.png", PAGE));
        whole.setSuccessful(false);
        AssertionResult failed = new AssertionResult("size").setResultForFailure("too short");
        whole.addAssertionResult(failed);
        Sample row = read(whole).get(1);
        assertThat(row.success()).isFalse();
        assertThat(row.answer().failureMessage()).isEqualTo("too short");
    }

    @Test
    void a_request_without_an_answer_keeps_the_exception_in_its_code_as_jmeter_writes_it() {
        Sample row = read(Results.refused("a")).get(0);
        assertThat(row.answer().code())
                .isEqualTo("Non HTTP response code: org.apache.http.conn.HttpHostConnectException");
        assertThat(row.answer().message())
                .isEqualTo("Non HTTP response message: Connect to vip:80 failed: Connection refused");
    }

    @Test
    void a_scrape_or_a_fault_is_no_request_of_the_load() {
        assertThat(read(new NoRequest())).isEmpty();
    }

    @Test
    void what_a_debug_post_processor_adds_is_no_request() {
        SampleResult request = Results.answer("a", "200", "http://vip/page", PAGE);
        SampleResult text = new SampleResult();
        text.sampleStart();
        text.setResponseOK();
        text.sampleEnd();
        request.addSubResult(text);
        assertThat(read(request)).extracting(sample -> sample.request().url()).containsExactly("http://vip/page");
    }

    @Test
    void a_transaction_is_no_request() {
        SampleResult transaction = new SampleResult();
        transaction.sampleStart();
        transaction.setResponseMessage("Number of samples in transaction : 2, number of failing samples : 0");
        transaction.setSuccessful(true);
        transaction.addSubResult(Results.good("a", "web1"), false);
        transaction.addSubResult(Results.good("b", "web2"), false);
        assertThat(read(transaction))
                .extracting(sample -> sample.request().label())
                .containsExactly("a", "b");
    }

    @Test
    void the_first_assertion_that_failed_says_why() {
        SampleResult result = Results.good("a", "web1");
        result.setSuccessful(false);
        result.addAssertionResult(new AssertionResult("fine"));
        AssertionResult failed = new AssertionResult("size").setResultForFailure("too short");
        failed.setFailure(true);
        result.addAssertionResult(failed);
        assertThat(read(result).get(0).answer().failureMessage()).isEqualTo("too short");
    }

    @Test
    void a_session_is_the_cookie_that_was_set_or_else_sent() {
        HTTPSampleResult result = new HTTPSampleResult();
        result.sampleStart();
        result.sampleEnd();
        result.setCookies("other=1; SERVERID=web1");
        String sent = read(result).get(0).request().session();
        result.setResponseHeaders("HTTP/1.1 200 OK\nset-cookie: SERVERID=web2; path=/\n");
        String set = read(result).get(0).request().session();
        assertThat(sent).hasSize(16).isNotEqualTo(set);
        assertThat(set).hasSize(16);
    }

    private static List<Sample> read(SampleResult result) {
        IdentitySettings usual = IdentitySettings.DEFAULT;
        ResultReader reader = new ResultReader(
                new HeaderIdentity(usual),
                new Sessions("SERVERID"),
                new ResultTimes(RunClock.ofProcess(), new ServerClocks()));
        List<Sample> taken = new ArrayList<>();
        reader.read(Results.event(result), "", taken::add);
        return taken;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", textBlock = """
                    org.apache.http.conn.HttpHostConnectException | Connect to lb:80 [lb/127.0.0.1] failed: Connection refused | REFUSED
                    java.net.ConnectException | Connection refused (Connection refused) | REFUSED
                    java.net.SocketException | Connection reset | RESET
                    java.net.SocketException | Connection reset by peer | RESET
                    java.net.SocketException | Broken pipe (Write failed) | RESET
                    javax.net.ssl.SSLException | Connection reset | RESET
                    java.net.NoRouteToHostException | No route to host (Host unreachable) | UNREACHABLE
                    java.net.SocketException | Network is unreachable | UNREACHABLE
                    java.net.ConnectException | null | UNREACHABLE
                    java.net.UnknownHostException | no-such-host.invalid: Name or service not known | DNS
                    org.apache.http.conn.ConnectTimeoutException | Connect to lb:80 failed: connect timed out | CONNECT_TIMEOUT
                    java.net.SocketTimeoutException | Connect timed out | CONNECT_TIMEOUT
                    org.apache.http.conn.HttpHostConnectException | Connect to lb:80 failed: Connection timed out | CONNECT_TIMEOUT
                    java.net.SocketTimeoutException | Read timed out | READ_TIMEOUT
                    javax.net.ssl.SSLException | Read timed out | READ_TIMEOUT
                    java.net.SocketException | Connection timed out (Read failed) | READ_TIMEOUT
                    javax.net.ssl.SSLHandshakeException | PKIX path building failed | TLS
                    javax.net.ssl.SSLException | Unsupported or unrecognized SSL message | TLS
                    org.apache.http.NoHttpResponseException | lb:80 failed to respond | TRUNCATED
                    org.apache.http.ConnectionClosedException | Premature end of Content-Length delimited message body | TRUNCATED
                    org.apache.http.TruncatedChunkException | Truncated chunk (expected size: 5; actual size: 2) | TRUNCATED
                    java.net.SocketException | Unexpected end of file from server | TRUNCATED
                    java.io.IOException | Premature EOF | TRUNCATED
                    org.apache.http.client.ClientProtocolException | null | PROTOCOL
                    org.apache.http.MalformedChunkCodingException | Bad chunk header: zz | PROTOCOL
                    java.io.IOException | Invalid Http response | PROTOCOL
                    java.net.ProtocolException | Server redirected too many  times (20) | PROTOCOL
                    java.net.BindException | Cannot assign requested address | GENERATOR
                    java.net.NoRouteToHostException | Cannot assign requested address (Address not available) | GENERATOR
                    java.net.SocketException | Too many open files | GENERATOR
                    org.apache.http.conn.ConnectionPoolTimeoutException | Timeout waiting for connection from pool | GENERATOR
                    java.net.SocketException | Socket closed | READ_TIMEOUT
                    java.net.SocketException | Socket is closed | READ_TIMEOUT
                    java.io.InterruptedIOException | Connection has been shut down | READ_TIMEOUT
                    org.apache.http.impl.execchain.RequestAbortedException | Request aborted | READ_TIMEOUT
                    java.lang.IllegalArgumentException | port out of range:99999 | GENERATOR
                    java.net.MalformedURLException | unknown protocol: foo | GENERATOR
                    java.io.IOException | something else | RESET
                    com.example.Odd$Thing | something else | PROTOCOL
                    """)
    void an_exception_is_known_by_its_words_and_its_type(String type, String message, FailureKind kind) {
        assertThat(kindOf(type, message, false)).isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    java.net.SocketException | Socket closed | GENERATOR
                    java.io.InterruptedIOException | Connection has been shut down | GENERATOR
                    org.apache.http.impl.execchain.RequestAbortedException | Request aborted | GENERATOR
                    java.net.SocketException | Connection reset | RESET
                    java.net.SocketTimeoutException | Read timed out | READ_TIMEOUT
                    """)
    void a_thread_that_is_stopped_cuts_its_request_and_only_that_is_no_failure(
            String type, String message, FailureKind kind) {
        assertThat(kindOf(type, message, true)).isEqualTo(kind);
    }

    @ParameterizedTest
    @CsvSource({
        "503, STATUS",
        "404, STATUS",
        "400, STATUS",
        "200, ASSERTION",
        "302, ASSERTION",
        "'', ASSERTION",
        "what a script made up, ASSERTION",
        "5031, ASSERTION",
        "Non HTTP response code:, ASSERTION"
    })
    void an_answer_failed_by_its_status_or_by_what_somebody_found_in_it(String code, FailureKind kind) {
        assertThat(ResultFailure.kindOf(code, "OK", false)).isEqualTo(kind);
    }

    @Test
    void what_this_jdk_throws_is_known() throws IOException {
        try (ReservedPort reserved = new ReservedPort()) {
            int port = reserved.number();
            try (ServerSocket server = new ServerSocket(port, 5, InetAddress.getLoopbackAddress())) {
                assertThat(thrownBy(port)).isEqualTo(FailureKind.READ_TIMEOUT);
                try (Socket client = new Socket(server.getInetAddress(), port)) {
                    server.accept().close(); // the one that gave up
                    Socket other = server.accept();
                    other.setSoLinger(true, 0);
                    other.close();
                    assertThat(thrownBy(client)).isEqualTo(FailureKind.RESET);
                }
            }
            assertThat(thrownBy(port)).isEqualTo(FailureKind.REFUSED);
        }
    }

    private static FailureKind thrownBy(int port) throws IOException {
        HttpURLConnection connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + "/").toURL().openConnection(Proxy.NO_PROXY);
        connection.setReadTimeout(200);
        try (InputStream body = connection.getInputStream()) {
            throw new AssertionError("it answered: " + body.available());
        } catch (IOException error) {
            return kindOf(error);
        }
    }

    private static FailureKind thrownBy(Socket client) {
        try {
            throw new AssertionError("it was told: " + client.getInputStream().read());
        } catch (IOException error) {
            return kindOf(error);
        }
    }

    private static FailureKind kindOf(IOException error) {
        return kindOf(error.getClass().getName(), error.getMessage(), false);
    }

    private static FailureKind kindOf(String type, String message, boolean isStopping) {
        return ResultFailure.kindOf(
                "Non HTTP response code: " + type, "Non HTTP response message: " + message, isStopping);
    }
}
