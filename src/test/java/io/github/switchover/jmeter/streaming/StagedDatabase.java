package io.github.switchover.jmeter.streaming;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;

/**
 * Answers writes as a test asks, and keeps what it has taken. It stands in for an InfluxDB, which cannot be asked to be
 * wrong at a given moment; what a real one does is tested with a real one.
 */
public final class StagedDatabase implements AutoCloseable {

    /** One request. */
    public record Write(String path, Map<String, List<String>> headers, List<String> lines, long atNs) {}

    /** What it is answered, if nothing goes wrong on the way. */
    public record Reply(int status, String body, Map<String, String> headers) {

        static Reply of(int status, String body) {
            return new Reply(status, body, Map.of());
        }
    }

    /** Null: the connection is closed without an answer; what is answered by {@link #TAKEN} is taken. */
    public interface DatabaseBehaviour {
        Reply reply(StagedDatabase database, Write write) throws InterruptedException;
    }

    public static final Reply TAKEN = Reply.of(204, "");

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpServer server;
    private final DatabaseBehaviour behaviour;
    private final List<Write> writes = new CopyOnWriteArrayList<>();
    private final Map<String, Integer> taken = new ConcurrentHashMap<>();
    private final CountDownLatch over = new CountDownLatch(1);

    public StagedDatabase(DatabaseBehaviour behaviour) {
        this(0, behaviour);
    }

    public StagedDatabase(int port, DatabaseBehaviour behaviour) {
        this.behaviour = behaviour;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        server.setExecutor(threads);
        server.createContext("/", this::treat);
        server.start();
    }

    int port() {
        return server.getAddress().getPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port() + "?db=drills";
    }

    public List<Write> writes() {
        return writes;
    }

    /** Lines, and how often each was taken. */
    public Map<String, Integer> taken() {
        return taken;
    }

    void take(List<String> lines) {
        lines.forEach(line -> taken.merge(line, 1, Integer::sum));
    }

    /** Until the test is over. */
    void hang() throws InterruptedException {
        over.await(1, TimeUnit.MINUTES);
    }

    @Override
    public void close() {
        over.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private void treat(HttpExchange exchange) throws IOException {
        try (exchange) {
            byte[] body = new GZIPInputStream(exchange.getRequestBody()).readAllBytes();
            Write write = new Write(
                    exchange.getRequestURI().toString(),
                    exchange.getRequestHeaders(),
                    new String(body, StandardCharsets.UTF_8).lines().toList(),
                    System.nanoTime());
            writes.add(write);
            Reply reply = behaviour.reply(this, write);
            if (reply == null) {
                return;
            }
            if (reply.equals(TAKEN)) {
                take(write.lines());
            }
            byte[] text = reply.body().getBytes(StandardCharsets.UTF_8);
            reply.headers().forEach(exchange.getResponseHeaders()::set);
            exchange.sendResponseHeaders(reply.status(), text.length == 0 ? -1 : text.length);
            exchange.getResponseBody().write(text);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }
}
