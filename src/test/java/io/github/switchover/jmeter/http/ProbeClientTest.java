package io.github.switchover.jmeter.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Identity.AnsweredBy;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.http.TestServer.ServerBehaviour;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What a request is recorded as, for each way in which a server can misbehave. */
class ProbeClientTest {

    private static final String HALF = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
    private static final String CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n";
    private static final String UNAVAILABLE =
            "HTTP/1.1 503 Service Unavailable\r\nX-Balancer: lb1\r\nContent-Length: 2\r\n\r\nno";
    private static final String KEPT = "HTTP/1.1 200 OK\r\nX-Backend: web1\r\nContent-Length: 2\r\n\r\nok";

    /** As /proc/net/tcp has them. */
    private static final String TIME_WAIT = "06";

    private static final String CLOSE_WAIT = "08";

    private final ProbeClient client = new ProbeClient(new IdentityReader(IdentitySettings.DEFAULT), null);

    @AfterEach
    void close() {
        client.close();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("behaviours")
    void attempt_tells_what_became_of_it(String name, ServerBehaviour behaviour, FailureKind error, int status)
            throws Exception {
        double readS = error == FailureKind.READ_TIMEOUT ? 0.3 : 20;
        try (TestServer server = new TestServer(behaviour)) {
            Attempt attempt = client.send(request(server.url(), 20, readS, false));
            assertThat(attempt.error()).as(attempt.message()).isEqualTo(error);
            assertThat(attempt.head().status()).isEqualTo(status);
            assertThat(attempt.message().isEmpty()).isEqualTo(error == null);
            assertThat(attempt.message()).doesNotContain("\n");
            assertThat(attempt.times().connectedNs()).isBetween(attempt.startNs(), attempt.endNs());
            assertThat(attempt.times().sentNs()).isBetween(attempt.times().connectedNs(), attempt.endNs());
            assertThat(attempt.times().firstNs() == 0).isEqualTo(attempt.bytes().received() == 0);
            Until.reached(() -> server.accepted() > 0);
            assertThat(server.accepted()).as("never sent again").isEqualTo(1);
        }
    }

    static Stream<Arguments> behaviours() {
        return Stream.of(
                Arguments.of("RST after the request", TestServer.resetsAfterRequest(), FailureKind.RESET, 0),
                Arguments.of("FIN after the request", TestServer.answers(""), FailureKind.TRUNCATED, 0),
                Arguments.of(
                        "FIN in mid-headers", TestServer.answers("HTTP/1.1 200 OK\r\nX-Ba"), FailureKind.TRUNCATED, 0),
                Arguments.of("FIN in mid-body", TestServer.answers(HALF), FailureKind.TRUNCATED, 200),
                Arguments.of(
                        "FIN in mid-chunk",
                        TestServer.answers(CHUNKED.substring(0, CHUNKED.length() - 3)),
                        FailureKind.TRUNCATED,
                        200),
                Arguments.of("garbage", TestServer.answers("\u0000garbage\r\n\r\n"), FailureKind.PROTOCOL, 0),
                Arguments.of("bytes before the status", TestServer.answers("\r\n" + HALF), FailureKind.PROTOCOL, 0),
                Arguments.of("endless line", TestServer.pours(), FailureKind.PROTOCOL, 0),
                Arguments.of("drips what is no HTTP", TestServer.drips("x"), FailureKind.PROTOCOL, 0),
                Arguments.of(
                        "drips a header for ever",
                        TestServer.drips("HTTP/1.1 200 OK\r\nX"),
                        FailureKind.READ_TIMEOUT,
                        0),
                Arguments.of("no answer", TestServer.staysSilent(), FailureKind.READ_TIMEOUT, 0),
                Arguments.of("503", TestServer.answers(UNAVAILABLE), FailureKind.STATUS, 503),
                Arguments.of("a page", TestServer.answersPage("hello"), null, 200),
                Arguments.of("chunked", TestServer.answers(CHUNKED), null, 200),
                Arguments.of("until the end", TestServer.answers("HTTP/1.0 200 OK\r\n\r\nuntil the end"), null, 200),
                Arguments.of("3 MB", TestServer.answersPage("x".repeat(3_000_000)), null, 200));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void connection_that_nobody_takes_ends_at_its_time_out() throws IOException {
        List<Socket> fillers = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Attempt attempt = null;
            for (int i = 0; i < 8 && (attempt == null || attempt.error() != FailureKind.CONNECT_TIMEOUT); i++) {
                attempt = client.send(request("http://127.0.0.1:" + full.getLocalPort() + "/", 0.2, 0.05, false));
                Socket filler = new Socket();
                fillers.add(filler);
                connectWithoutWaiting(filler, full.getLocalPort());
            }
            assertThat(attempt.error()).isEqualTo(FailureKind.CONNECT_TIMEOUT);
            assertThat(attempt.message()).isEqualTo("no connection within 200 ms");
            assertThat(attempt.endNs() - attempt.startNs()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
        } finally {
            for (Socket filler : fillers) {
                filler.close();
            }
        }
    }

    @Test
    void answer_tells_identity_phases_and_sizes() throws IOException {
        try (TestServer server = new TestServer(TestServer.answers(UNAVAILABLE))) {
            Request request = request(server.url(), 20, 20, false);
            Attempt attempt = client.send(request);
            assertThat(attempt.head().identity()).isEqualTo(new Identity("", "lb1", AnsweredBy.BALANCER));
            assertThat(attempt.message()).isEqualTo("status 503 is not among 200-399");
            assertThat(attempt.bytes().received()).isEqualTo(UNAVAILABLE.length());
            assertThat(attempt.bytes().sent()).isEqualTo(request.bytes().length);
            assertThat(attempt.times().dueNs()).isEqualTo(attempt.startNs());
            assertThat(attempt.latencyNs()).isGreaterThanOrEqualTo(attempt.connectNs());
            assertThat(attempt.reused()).isFalse();
        }
    }

    @Test
    void kept_connection_is_used_again() throws IOException {
        try (TestServer server = new TestServer(TestServer.keeps(3, KEPT))) {
            Request request = request(server.url(), 20, 20, true);
            Attempt first = client.send(request);
            Attempt second = client.send(request);
            assertThat(first.reused()).isFalse();
            assertThat(second.reused()).isTrue();
            assertThat(second.connectNs()).isZero();
            assertThat(second.startNs()).isGreaterThanOrEqualTo(first.endNs());
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void connection_that_the_server_closed_meanwhile_is_replaced_and_that_is_said() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        ServerBehaviour once = (connection, over) -> {
            TestServer.keeps(1, KEPT).treat(connection, over);
            connection.shutdownOutput();
            closed.countDown();
            TestServer.readRequest(connection);
        };
        try (TestServer server = new TestServer(once)) {
            Request request = request(server.url(), 20, 20, true);
            client.send(request);
            closed.await();
            Until.reached(() -> !connections(server.port(), CLOSE_WAIT).isEmpty());
            Attempt second = client.send(request);
            assertThat(second.error()).as(second.message()).isNull();
            assertThat(second.reused()).isFalse();
            assertThat(second.reused()).isFalse();
        }
    }

    @Test
    void kept_connection_that_ends_under_the_request_is_a_failure_and_nothing_is_sent_again() throws IOException {
        ServerBehaviour secondRequestGoesUnanswered = (connection, over) -> {
            TestServer.keeps(1, KEPT).treat(connection, over);
            TestServer.resetsAfterRequest().treat(connection, over);
        };
        try (TestServer server = new TestServer(secondRequestGoesUnanswered)) {
            Request request = request(server.url(), 20, 20, true);
            client.send(request);
            Attempt second = client.send(request);
            assertThat(second.error()).isEqualTo(FailureKind.RESET);
            assertThat(second.reused()).isTrue();
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void kept_connection_with_bytes_after_the_answer_is_not_used_again() throws IOException {
        try (TestServer server = new TestServer(TestServer.keeps(2, KEPT + "surplus"))) {
            Request request = request(server.url(), 20, 20, true);
            client.send(request);
            assertThat(client.send(request).reused()).isFalse();
            assertThat(server.accepted()).isEqualTo(2);
        }
    }

    @Test
    void total_time_out_ends_what_single_phases_would_allow() throws IOException {
        try (TestServer server = new TestServer(TestServer.drips("HTTP/1.1 200 OK\r\nX"))) {
            Request request =
                    Request.get(Endpoints.at(server.url()), destination(server.url()), Timeouts.ofTotal(0.2), "test");
            Attempt attempt = client.send(request);
            assertThat(attempt.error()).isEqualTo(FailureKind.READ_TIMEOUT);
            assertThat(attempt.endNs() - attempt.startNs()).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(200));
        }
    }

    @Test
    void request_can_be_cut_short_from_another_thread() throws IOException {
        CountDownLatch asked = new CountDownLatch(1);
        ServerBehaviour silent = (connection, over) -> {
            TestServer.readRequest(connection);
            asked.countDown();
            over.await();
        };
        try (TestServer server = new TestServer(silent)) {
            Thread impatient = new Thread(() -> {
                try {
                    asked.await();
                } catch (InterruptedException error) {
                    return;
                }
                client.interrupt(FailureKind.GENERATOR);
            });
            impatient.start();
            Attempt attempt = client.send(request(server.url(), 20, 100, false));
            assertThat(attempt.error()).isEqualTo(FailureKind.GENERATOR);
        }
    }

    @Test
    void interrupted_thread_gets_its_answer_at_once() throws IOException {
        try (TestServer server = new TestServer(TestServer.staysSilent())) {
            Request request = request(server.url(), 20, 100, false);
            Thread.currentThread().interrupt();
            assertThat(client.send(request).error()).isEqualTo(FailureKind.GENERATOR);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void no_connection_stays_in_time_wait() throws IOException {
        try (TestServer server = new TestServer(TestServer.answersPage("hello"))) {
            Request request = request(server.url(), 20, 20, false);
            for (int i = 0; i < 20; i++) {
                assertThat(client.send(request).error()).isNull();
            }
            assertThat(connections(server.port(), TIME_WAIT)).isEmpty();
        }
    }

    /** Those from or to a port that are in a state, by Linux's tables. */
    private static List<String> connections(int number, String state) {
        String port = String.format(Locale.ROOT, ":%04X ", number);
        return Stream.of("/proc/net/tcp", "/proc/net/tcp6")
                .flatMap(table -> Until.text(Path.of(table)).lines())
                .filter(line ->
                        line.contains(port) && line.strip().split(" +", -1)[3].equals(state))
                .toList();
    }

    @Test
    void time_outs_are_never_endless() {
        for (double seconds : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 301}) {
            assertThatThrownBy(() -> Timeouts.ofSeconds(seconds, 1)).isInstanceOf(UsageException.class);
            assertThatThrownBy(() -> Timeouts.ofSeconds(1, seconds)).isInstanceOf(UsageException.class);
            assertThatThrownBy(() -> Timeouts.ofTotal(seconds)).isInstanceOf(UsageException.class);
        }
    }

    private static Request request(String url, double connectS, double readS, boolean keep)
            throws UnknownHostException {
        return Request.of(
                new byte[0], Endpoints.at(url), destination(url), Timeouts.ofSeconds(connectS, readS), "test", keep, 0);
    }

    private static Destination destination(String url) throws UnknownHostException {
        return Destination.of(Endpoints.at(url));
    }

    private static void connectWithoutWaiting(Socket socket, int port) throws IOException {
        try {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 50);
        } catch (SocketTimeoutException error) {
            return; // the queue is full
        }
    }
}
