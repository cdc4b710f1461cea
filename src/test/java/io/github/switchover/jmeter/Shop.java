package io.github.switchover.jmeter;

import io.github.switchover.jmeter.http.TestServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A balancer with two backends, as a client sees it: a server that answers by the path of a request, and counts. */
public final class Shop implements AutoCloseable {

    private final AtomicInteger requests = new AtomicInteger();
    private final TestServer server = new TestServer(this::serve);

    public int port() {
        return server.port();
    }

    public String url(String path) {
        return "http://127.0.0.1:" + port() + path;
    }

    /** Requests that were answered. */
    public int requests() {
        return requests.get();
    }

    public int connections() {
        return server.accepted();
    }

    @Override
    public void close() {
        server.close();
    }

    private void serve(Socket connection, CountDownLatch over) throws IOException, InterruptedException {
        for (String path = path(connection); path != null; path = path(connection)) {
            int number = requests.incrementAndGet();
            String answer = answer(path, number);
            if (path.startsWith("/slow")) {
                over.await(200, java.util.concurrent.TimeUnit.MILLISECONDS);
            }
            connection.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    private static String answer(String path, int number) {
        String who = "X-Backend: web" + (1 + number % 2) + "\r\nX-Balancer: lb1\r\n";
        if (path.startsWith("/moved")) {
            return answer("302 Found", who + "Location: /page\r\n", "");
        }
        if (path.startsWith("/broken")) {
            return answer("503 Service Unavailable", "X-Balancer: lb1\r\n", "no server");
        }
        if (path.startsWith("/frames")) {
            String body = "<html><body><img src=\"/page?1\"><img src=\"/page?2\"></body></html>";
            return answer("200 OK", who + "Content-Type: text/html\r\n", body);
        }
        return answer("200 OK", who + "Content-Type: text/plain\r\n", "hello");
    }

    private static String answer(String status, String headers, String body) {
        return "HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** Null when the client has gone. */
    private static String path(Socket connection) throws IOException {
        InputStream in = connection.getInputStream();
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        int last = 0;
        for (int b = in.read(); b >= 0; b = in.read()) {
            head.write(b);
            last = last << 8 | b;
            if (last == 0x0d0a0d0a) {
                return head.toString(StandardCharsets.ISO_8859_1).split(" ", 3)[1];
            }
        }
        return null;
    }
}
