package io.github.switchover.jmeter.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A small server on loopback that behaves as badly as a test asks, a thread for each connection. */
public final class TestServer implements AutoCloseable {

    /** What to do with an accepted connection, which is closed afterwards; the latch opens when the test is over. */
    public interface ServerBehaviour {
        void treat(Socket connection, CountDownLatch over) throws IOException, InterruptedException;
    }

    private final ServerSocket listener;
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    private final List<Socket> connections = new CopyOnWriteArrayList<>();
    private final AtomicInteger accepted = new AtomicInteger();

    public TestServer(ServerBehaviour behaviour) {
        this(open(), behaviour);
    }

    /** On a listener of the caller's, with TLS say. */
    public TestServer(ServerSocket listener, ServerBehaviour behaviour) {
        this.listener = listener;
        start(() -> accept(behaviour));
    }

    public int port() {
        return listener.getLocalPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port() + "/";
    }

    /** Connections so far. */
    public int accepted() {
        return accepted.get();
    }

    @Override
    public void close() {
        over.countDown();
        try {
            listener.close();
            for (Socket connection : connections) {
                connection.close();
            }
            for (Thread thread : threads) {
                thread.join(TimeUnit.SECONDS.toMillis(10));
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reads a request, answers, closes. */
    public static ServerBehaviour answers(String answer) {
        byte[] bytes = answer.getBytes(StandardCharsets.ISO_8859_1);
        return (connection, over) -> {
            if (readRequest(connection)) {
                connection.getOutputStream().write(bytes);
            }
        };
    }

    public static ServerBehaviour answersPage(String body) {
        return answers("HTTP/1.1 200 OK\r\nContent-Length: " + body.length() + "\r\nConnection: close\r\n\r\n" + body);
    }

    /** Answers requests on one connection, so many of them. */
    public static ServerBehaviour keeps(int requests, String answer) {
        byte[] bytes = answer.getBytes(StandardCharsets.ISO_8859_1);
        return (connection, over) -> {
            for (int i = 0; i < requests && readRequest(connection); i++) {
                connection.getOutputStream().write(bytes);
            }
        };
    }

    public static ServerBehaviour staysSilent() {
        return (connection, over) -> over.await();
    }

    /** A byte every 20 ms, for ever: no single read ever waits long. */
    public static ServerBehaviour drips(String byTheByte) {
        byte[] bytes = byTheByte.getBytes(StandardCharsets.ISO_8859_1);
        return (connection, over) -> {
            for (int i = 0; !over.await(20, TimeUnit.MILLISECONDS); i++) {
                connection.getOutputStream().write(bytes[Math.min(i, bytes.length - 1)]);
            }
        };
    }

    /** One line without an end. */
    public static ServerBehaviour pours() {
        return (connection, over) -> {
            byte[] piece = "x".repeat(65536).getBytes(StandardCharsets.ISO_8859_1);
            while (over.getCount() > 0) {
                connection.getOutputStream().write(piece);
            }
        };
    }

    public static ServerBehaviour resets() {
        return (connection, over) -> connection.setSoLinger(true, 0);
    }

    public static ServerBehaviour resetsAfterRequest() {
        return (connection, over) -> {
            readRequest(connection);
            connection.setSoLinger(true, 0);
        };
    }

    /** Up to the empty line; false if the client has gone. */
    public static boolean readRequest(Socket connection) throws IOException {
        InputStream in = connection.getInputStream();
        int last = 0;
        for (int b = in.read(); b >= 0; b = in.read()) {
            last = last << 8 | b;
            if (last == 0x0d0a0d0a) {
                return true;
            }
        }
        return false;
    }

    private void accept(ServerBehaviour behaviour) {
        while (over.getCount() > 0) {
            try {
                Socket connection = listener.accept();
                accepted.incrementAndGet();
                connections.add(connection);
                start(() -> serve(connection, behaviour));
            } catch (IOException error) {
                if (listener.isClosed()) {
                    return;
                }
            }
        }
    }

    private void serve(Socket connection, ServerBehaviour behaviour) {
        try (connection) {
            behaviour.treat(connection, over);
        } catch (IOException error) {
            return; // the client has gone
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private void start(Runnable work) {
        Thread thread = new Thread(work, "test server");
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    private static ServerSocket open() {
        try {
            return new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
