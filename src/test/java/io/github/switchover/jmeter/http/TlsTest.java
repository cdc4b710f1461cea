package io.github.switchover.jmeter.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Outcome.FailureKind;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.http.TestServer.ServerBehaviour;
import io.github.switchover.jmeter.target.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TlsTest {

    private static final String PAGE = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(100_000);

    @TempDir
    static Path directory;

    private static Certificates certificates;

    private final ProbeClient client = new ProbeClient(new IdentityReader(IdentitySettings.DEFAULT), null);

    @BeforeAll
    static void makeCertificates() throws IOException, InterruptedException {
        certificates = new Certificates(directory);
    }

    @AfterEach
    void close() {
        client.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void answer_comes_over_tls_and_the_handshake_is_a_phase_of_its_own(String version) throws Exception {
        try (TestServer server = secure(version, TestServer.keeps(2, PAGE))) {
            Request request = request(server, null, certificates.pem(), false, true, 20);
            Attempt first = client.send(request);
            assertThat(first.error()).as(first.message()).isNull();
            assertThat(first.bytes().received()).isEqualTo(PAGE.length());
            assertThat(first.times().securedNs()).isGreaterThan(first.times().connectedNs());
            assertThat(first.connectNs()).isEqualTo(first.times().securedNs() - first.startNs());
            Attempt second = client.send(request);
            assertThat(second.error()).as(second.message()).isNull();
            assertThat(second.reused()).isTrue();
            assertThat(server.accepted()).isEqualTo(1);
        }
    }

    @Test
    void stranger_is_not_trusted_unless_insecure_says_so() throws Exception {
        try (TestServer server = secure("TLSv1.3", TestServer.keeps(1, PAGE))) {
            Attempt refused = client.send(request(server, null, null, false, false, 20));
            assertThat(refused.error()).isEqualTo(FailureKind.TLS);
            assertThat(refused.message()).contains("certification path").doesNotContain("\n");
            assertThat(refused.times().connectedNs()).isPositive();
            assertThat(refused.times().securedNs()).isZero();
            assertThat(client.send(request(server, "other.test", null, true, false, 20))
                            .error())
                    .isNull();
        }
    }

    @Test
    void certificate_must_be_for_the_name_that_was_asked_for() throws Exception {
        try (TestServer server = secure("TLSv1.3", TestServer.keeps(1, PAGE))) {
            assertThat(client.send(request(server, "other.test", certificates.pem(), false, false, 20))
                            .error())
                    .isEqualTo(FailureKind.TLS);
            assertThat(client.send(request(server, "lb.test", certificates.pem(), false, false, 20))
                            .error())
                    .isNull();
        }
    }

    @Test
    void server_is_told_the_name() throws Exception {
        List<String> names = new CopyOnWriteArrayList<>();
        ServerBehaviour listens = (connection, over) -> {
            TestServer.keeps(1, PAGE).treat(connection, over);
            ((ExtendedSSLSession) ((SSLSocket) connection).getSession())
                    .getRequestedServerNames()
                    .forEach(name -> names.add(((SNIHostName) name).getAsciiName()));
        };
        try (TestServer server = secure("TLSv1.3", listens)) {
            client.send(request(server, "lb.test", certificates.pem(), false, false, 20));
            assertThat(client.send(request(server, "some_node", null, true, false, 20))
                            .error())
                    .isNull();
            assertThat(client.send(request(server, null, null, true, false, 20)).error())
                    .isNull();
        }
        assertThat(names).containsExactly("lb.test");
    }

    @Test
    void server_without_tls_is_a_failure_of_tls() throws Exception {
        try (TestServer server = new TestServer(TestServer.pours())) {
            assertThat(client.send(request(server, null, null, true, false, 20)).error())
                    .isEqualTo(FailureKind.TLS);
        }
        try (TestServer server =
                new TestServer((connection, over) -> connection.getInputStream().read())) {
            FailureKind error =
                    client.send(request(server, null, null, true, false, 20)).error();
            // It closes with the rest of our hello unread, which its kernel answers by RST.
            assertThat(error).isIn(FailureKind.TLS, FailureKind.RESET);
        }
    }

    @Test
    void handshake_belongs_to_the_connect_time_out() throws Exception {
        try (TestServer server = new TestServer(TestServer.staysSilent())) {
            Request request = request(server, null, null, true, false, 0.2);
            Until.reached(() -> {
                Attempt attempt = client.send(request);
                assertThat(attempt.error()).isEqualTo(FailureKind.CONNECT_TIMEOUT);
                return attempt.times().connectedNs() > 0;
            });
        }
    }

    @Test
    void ca_that_is_no_certificate_is_said_before_anything_is_sent() throws IOException {
        Path garbage = Files.writeString(directory.resolve("garbage.pem"), "garbage");
        Path missing = directory.resolve("missing.pem");
        assertThatThrownBy(() -> TlsClient.of(Endpoints.tls("https://lb.test/", null, garbage, false)))
                .isInstanceOf(UsageException.class)
                .hasMessageStartingWith("cannot read CA certificates in " + garbage)
                .hasMessageNotContaining("\n");
        assertThatThrownBy(() -> TlsClient.of(Endpoints.tls("https://lb.test/", null, missing, false)))
                .hasMessage("cannot read CA certificates in " + missing
                        + ": No such file or directory: give a PEM file as 'ca'");
    }

    private static TestServer secure(String version, ServerBehaviour behaviour)
            throws IOException, GeneralSecurityException {
        SSLServerSocket listener = (SSLServerSocket) certificates
                .server()
                .getServerSocketFactory()
                .createServerSocket(0, 128, InetAddress.getLoopbackAddress());
        listener.setEnabledProtocols(new String[] {version});
        return new TestServer(listener, behaviour);
    }

    private static Request request(
            TestServer server, String sni, Path ca, boolean insecure, boolean keep, double connectS)
            throws IOException {
        Endpoint endpoint = Endpoints.tls("https://127.0.0.1:" + server.port() + "/", sni, ca, insecure);
        return Request.of(
                new byte[0], endpoint, Destination.of(endpoint), Timeouts.ofSeconds(connectS, 20), "test", keep, 0);
    }
}
