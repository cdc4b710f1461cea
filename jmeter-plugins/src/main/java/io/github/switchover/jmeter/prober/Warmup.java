package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.ProbeClient;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.target.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * Sends requests to a local server before the first probe is due.
 *
 * <p>Java loads classes and compiles code at use: without a warm-up, the first probes were tens of ms late (measured).
 */
final class Warmup {

    private static final long LASTS_NS = 150_000_000;
    private static final Timeouts TIMEOUTS = Timeouts.ofSeconds(0.05, 0.05);
    private static final byte[] ANSWER = ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Backend: warm\r\n"
                    + "X-Balancer: up\r\n\r\nok")
            .getBytes(StandardCharsets.US_ASCII);

    /** With {@code tls}, also runs the part of a handshake that needs no certificate. Never throws. */
    static void run(boolean tls) {
        try (ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress());
                ProbeClient client = new ProbeClient(new IdentityReader(IdentitySettings.DEFAULT), null)) {
            DaemonThread.start("prober warm-up", () -> answer(server));
            send(client, "http", server.getLocalPort());
            if (tls) {
                send(client, "https", server.getLocalPort());
            }
        } catch (IOException error) {
            return; // After an error, the prober starts without a warm-up.
        }
    }

    private static void send(ProbeClient client, String scheme, int port) throws IOException {
        Endpoint endpoint =
                Endpoint.at(scheme + "://127.0.0.1:" + port + "/").with(new Endpoint.TlsChoice(null, null, true));
        Request request = Request.get(endpoint, Destination.of(endpoint), TIMEOUTS, "switchover");
        for (long endNs = System.nanoTime() + LASTS_NS; System.nanoTime() - endNs < 0; ) {
            client.send(request);
        }
    }

    private static void answer(ServerSocket server) {
        byte[] buffer = new byte[1024];
        while (!server.isClosed()) {
            answerOne(server, buffer);
        }
    }

    /** Reads one request in one piece, and answers it. A request without an answer is sent again soon. */
    private static void answerOne(ServerSocket server, byte[] buffer) {
        try (Socket connection = server.accept()) {
            connection.setSoTimeout(50);
            if (connection.getInputStream().read(buffer) > 0) {
                connection.getOutputStream().write(ANSWER);
            }
        } catch (IOException error) {
            return; // The connection was reset, or the warm-up is over.
        }
    }
}
