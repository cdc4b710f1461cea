package io.github.switchover.jmeter.recording;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.http.ReservedPort;
import io.github.switchover.jmeter.recording.ResultReader.ResultFailure;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultFailureTest {

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
