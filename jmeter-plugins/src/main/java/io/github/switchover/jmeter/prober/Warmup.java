package io.github.switchover.jmeter.prober;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.RunClock;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.HeadReader;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.prober.ProbeResult.ProbeStream;
import io.github.switchover.jmeter.prober.Schedule.Alarm;
import io.github.switchover.jmeter.prober.Schedule.Rate;
import io.github.switchover.jmeter.target.Endpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * Runs the loop for a moment against a local server in this JVM, before the first probe is due.
 *
 * <p>Java loads a class when it is first used, and compiles code that is used often. Without the warm-up the first
 * probes came tens of milliseconds late, and later on a busy machine (measured), in the phase that must be quiet.
 */
final class Warmup {

    private static final long LASTS_NS = 150_000_000;
    private static final double RATE = 2000;
    private static final Timeouts TIMEOUTS = Timeouts.ofSeconds(0.05, 0.05);
    private static final byte[] ANSWER = ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Backend: warm\r\n"
                    + "X-Balancer: up\r\n\r\nok")
            .getBytes(StandardCharsets.US_ASCII);

    private static final ProbeSink NO_SINK = new ProbeSink() {
        @Override
        public void take(List<ProbeResult> probes) {}

        @Override
        public void close() {}
    };

    private Warmup() {}

    /** With {@code tls} also the part of a handshake that needs no certificate. Never throws. */
    static void run(RunClock clock, boolean tls) {
        try (ServerSocket server = new ServerSocket(0, 64, InetAddress.getLoopbackAddress())) {
            DaemonThread.start("prober warm-up", () -> answer(server));
            probe(clock, server.getLocalPort(), false);
            if (tls) {
                probe(clock, server.getLocalPort(), true);
            }
        } catch (IOException error) {
            return; // then it starts cold
        }
    }

    private static void probe(RunClock clock, int port, boolean tls) throws IOException {
        Endpoint endpoint = Endpoint.at((tls ? "https" : "http") + "://127.0.0.1:" + port + "/")
                .with(new Endpoint.TlsChoice(null, null, true));
        Request request = Request.get(endpoint, Destination.of(endpoint), TIMEOUTS, "switchover");
        long t0Ns = System.nanoTime();
        Schedule schedule = new Schedule(t0Ns, Rate.of(tls ? RATE / 10 : RATE), LASTS_NS);
        Loop loop = new Loop(
                clock,
                new HeadReader(new IdentityReader(IdentitySettings.DEFAULT), null),
                LASTS_NS,
                Map.of(ProbeStream.FRESH, new Loop.Feed(new StreamAccount(schedule), request)),
                new ProbeQueue(NO_SINK),
                turning -> {},
                () -> {});
        Alarm end = new Alarm(List.of(new Schedule(t0Ns + LASTS_NS, Rate.of(1), LASTS_NS)), loop::stop);
        DaemonThread.start("prober warm-up", end);
        loop.run();
        end.stop();
    }

    private static void answer(ServerSocket server) {
        byte[] buffer = new byte[1024];
        while (!server.isClosed()) {
            answerOne(server, buffer);
        }
    }

    /** A request in one piece; one without an answer is sent again soon. */
    private static void answerOne(ServerSocket server, byte[] buffer) {
        try (Socket connection = server.accept()) {
            connection.setSoTimeout(50);
            if (connection.getInputStream().read(buffer) > 0) {
                connection.getOutputStream().write(ANSWER);
            }
        } catch (IOException error) {
            return; // it was reset, or it is over
        }
    }
}
