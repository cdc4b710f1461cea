package io.github.switchover.jmeter.telemetry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.http.ReservedPort;
import io.github.switchover.jmeter.http.TestServer;
import io.github.switchover.jmeter.http.TestServer.ServerBehaviour;
import io.github.switchover.jmeter.target.Source;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One question, one answer, however badly the other side behaves. */
class TransportTest {

    private static final byte[] REQUEST = "show info\n".getBytes(StandardCharsets.US_ASCII);
    private static final double PATIENCE_S = 20;

    /** Short enough for a Unix socket's path. */
    @TempDir
    Path place;

    @Test
    void unix_socket_answers() throws IOException {
        Path path = place.resolve("s");
        try (UnixServer server = new UnixServer(path, "Pid: 1\n")) {
            assertThat(fetch(server.source(), PATIENCE_S)).isEqualTo("Pid: 1\n");
        }
    }

    @Test
    void command_reads_the_request_and_its_output_is_the_answer() {
        Source source = new Source.Command(List.of("sh", "-c", "cat; echo end"));
        assertThat(fetch(source, PATIENCE_S)).isEqualTo("show info\nend\n");
    }

    @Test
    void silent_unix_socket_ends_at_the_time_out() throws IOException {
        Path path = place.resolve("s");
        Source source = new Source.UnixSocket(path.toString());
        try (UnixServer server = new UnixServer(path, null)) {
            assertThatThrownBy(() -> fetch(server.source(), 0.2))
                    .isInstanceOf(SourceException.class)
                    .hasMessage(source + " gave no complete answer within 0.2 s");
        }
    }

    @Test
    void unix_socket_that_comes_and_goes_is_said_in_the_systems_words() throws IOException {
        Path path = place.resolve("s");
        Source source = new Source.UnixSocket(path.toString());
        assertThatThrownBy(() -> fetch(source, PATIENCE_S))
                .hasMessage(source + " cannot be read: No such file or directory");
        Files.createFile(path);
        assertThatThrownBy(() -> fetch(source, PATIENCE_S)).hasMessage(source + " cannot be read: Connection refused");
        Files.delete(path);
        try (UnixServer server = new UnixServer(path, "here")) {
            assertThat(fetch(server.source(), PATIENCE_S)).isEqualTo("here");
        }
    }

    @Test
    void tcp_socket_answers_whatever_its_host_is_called() {
        try (TestServer server = new TestServer(TestServer.answers("Pid: 1\n"))) {
            Source source = new Source.TcpSocket("localhost", server.port());
            byte[] request = "show info\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            assertThat(Transport.fetch(source, request, PATIENCE_S, 1000))
                    .asString()
                    .isEqualTo("Pid: 1\n");
        }
    }

    @Test
    void a_host_with_several_addresses_is_asked_at_the_one_that_listens() throws IOException {
        try (TestServer server = new TestServer(TestServer.answers("Pid: 1\n"))) {
            Source source = new Source.TcpSocket("localhost", server.port());
            InetAddress nobody = InetAddress.getByAddress(new byte[] {127, 0, 0, 2});
            List<SocketAddress> addresses = List.of(
                    new InetSocketAddress(nobody, server.port()),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
            byte[] request = "show info\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
            assertThat(Transport.fetchSocket(source, addresses, request, new Deadline(PATIENCE_S), 1000))
                    .asString()
                    .isEqualTo("Pid: 1\n");
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badSockets")
    void socket_that_misbehaves_is_one_line(String name, ServerBehaviour behaviour, String message) {
        try (TestServer server = new TestServer(behaviour)) {
            Source source = new Source.TcpSocket("127.0.0.1", server.port());
            assertThatThrownBy(() -> Transport.fetch(source, REQUEST, patienceS(message), 1_000_000))
                    .isInstanceOf(SourceException.class)
                    .hasMessage(source + message);
        }
    }

    static Stream<Arguments> badSockets() {
        return Stream.of(
                Arguments.of("silence", TestServer.staysSilent(), " gave no complete answer within 0.5 s"),
                Arguments.of("drips", TestServer.drips("x"), " gave no complete answer within 0.5 s"),
                Arguments.of("pours", TestServer.pours(), " sent more than 1,000,000 bytes: check the source"));
    }

    @Test
    void closed_port_and_unknown_host_are_one_line() throws IOException {
        try (ReservedPort nobody = new ReservedPort()) {
            assertThatThrownBy(() -> fetch(new Source.TcpSocket("127.0.0.1", nobody.number()), PATIENCE_S))
                    .hasMessage("tcp://127.0.0.1:" + nobody.number() + " cannot be read: Connection refused");
        }
        assertThatThrownBy(() -> fetch(new Source.TcpSocket("no-such-host.invalid", 1), PATIENCE_S))
                .hasMessage("tcp://no-such-host.invalid:1 cannot be read: this machine finds no address of the name"
                        + " 'no-such-host.invalid'");
    }

    @Test
    void page_is_fetched_and_its_user_and_password_go_into_a_header_and_nowhere_else() {
        StringBuilder asked = new StringBuilder();
        ServerBehaviour listens = (connection, over) -> {
            byte[] buffer = new byte[4096];
            asked.append(new String(buffer, 0, connection.getInputStream().read(buffer), StandardCharsets.US_ASCII));
            connection
                    .getOutputStream()
                    .write("HTTP/1.1 401 No\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        };
        try (TestServer server = new TestServer(listens)) {
            Source source = new Source.HttpPage("http://ad%6Din:s@cr:t+@127.0.0.1:" + server.port() + "/stats;csv?a=b");
            assertThatThrownBy(() -> fetch(source, PATIENCE_S))
                    .hasMessage("http://127.0.0.1:" + server.port() + "/stats;csv?a=*** answered 401: write the page's "
                            + "user and password into its URL, http://user:password@host…");
            assertThat(asked.toString())
                    .startsWith("GET /stats;csv?a=b HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() + "\r\n")
                    .contains("Authorization: Basic YWRtaW46c0Bjcjp0Kw==\r\n", "Connection: close\r\n");
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badPages")
    void page_that_misbehaves_is_one_line(String name, ServerBehaviour behaviour, String message) {
        try (TestServer server = new TestServer(behaviour)) {
            Source source = new Source.HttpPage(server.url() + "stats");
            assertThatThrownBy(() -> Transport.fetch(source, null, patienceS(message), 1000))
                    .isInstanceOf(SourceException.class)
                    .hasMessageStartingWith(source + message)
                    .hasMessageNotContaining("\n");
        }
    }

    static Stream<Arguments> badPages() {
        return Stream.of(
                Arguments.of("silence", TestServer.staysSilent(), " gave no complete answer within 0.5 s"),
                Arguments.of(
                        "drips", TestServer.drips("HTTP/1.1 200 OK\r\nX"), " gave no complete answer within 0.5 s"),
                Arguments.of("no HTTP", TestServer.answers("SSH-2.0\r\n"), " sent an incomplete page: "),
                Arguments.of("nothing", TestServer.answers(""), " sent an incomplete page: closed after 0 bytes"),
                Arguments.of(
                        "half",
                        TestServer.answers("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"),
                        " sent an incomplete page: closed after "),
                Arguments.of(
                        "404",
                        TestServer.answers("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"),
                        " answered 404, not 200: check the address of the page"),
                Arguments.of(
                        "more than allowed",
                        TestServer.answersPage("x".repeat(2000)),
                        " sent more than 1,000 bytes: check the source"),
                Arguments.of(
                        "far more than allowed",
                        TestServer.answers("HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\nx"),
                        " sent more than 1,000 bytes: check the source"));
    }

    @Test
    void url_that_cannot_be_asked_for_is_one_line() {
        Source source = new Source.HttpPage("http://127.0.0.1/a b");
        assertThatThrownBy(() -> fetch(source, PATIENCE_S))
                .isInstanceOf(SourceException.class)
                .hasMessageStartingWith("http://127.0.0.1/a b is not a valid URL");
    }

    /** Little for what never comes, and much for what a busy machine brings late. */
    private static double patienceS(String message) {
        return message.endsWith(" within 0.5 s") ? 0.5 : PATIENCE_S;
    }

    private static String fetch(Source source, double timeoutS) {
        return new String(Transport.fetch(source, REQUEST, timeoutS, Transport.LIMIT_BYTES), StandardCharsets.UTF_8);
    }
}
