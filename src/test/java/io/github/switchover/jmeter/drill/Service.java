package io.github.switchover.jmeter.drill;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A balancer that answers for as long as the file {@code down} is not there, and the target file that says so. */
public final class Service implements AutoCloseable {

    private final Path place;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final HttpServer server;

    public Service(Path place) throws IOException {
        this.place = place;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            byte[] body = "hello".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("X-Balancer", "lb1");
            exchange.getResponseHeaders().set("X-Backend", "web1");
            exchange.sendResponseHeaders(isDown() ? 503 : 200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    public boolean isDown() {
        return Files.exists(place.resolve("down"));
    }

    /** Its target file; as if a lab had written it, or not. */
    public Path targetFile(boolean lab) throws IOException {
        String text = """
                [target]
                url = "%1$s"
                timeout_connect = "10s"
                timeout_read = "10s"
                [[node]]
                name = "lb1"
                host = "lb1-%3$d.invalid"
                machine_id = ["echo", "lb1-%3$d"]
                role = "balancer"
                clock = "shared"
                [[node]]
                name = "lb2"
                host = "lb2-%3$d.invalid"
                machine_id = ["echo", "lb2-%3$d"]
                role = "balancer"
                clock = "shared"
                [fault.touch]
                ready = ["test", "{backup}", "=", "lb2"]
                kill = ["touch", "%2$s/down"]
                heal = ["rm", "-f", "%2$s/down"]
                verify_down = ["test", "-e", "%2$s/down"]
                verify_healed = ["test", "!", "-e", "%2$s/down"]
                predict = {low = 0.5, high = 2}
                [fault.nothing]
                ready = ["true"]
                kill = ["true"]
                verify_down = ["false"]
                [change.move]
                ready = ["true"]
                do = ["touch", "%2$s/moved"]
                undo = ["rm", "-f", "%2$s/moved"]
                verify = ["test", "-e", "%2$s/moved"]
                [change.unproved]
                ready = ["true"]
                do = ["true"]
                verify = ["false"]
                """.formatted(url(), place, server.getAddress().getPort());
        String ofLab = lab ? "[lab]\ndirectory = \"" + place + "\"\n" : "";
        return Files.writeString(place.resolve("target.toml"), text + ofLab);
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
