package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.Until;
import io.github.switchover.jmeter.http.ReservedPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A real HAProxy in front of a real Nginx, on loopback. */
public final class LivePair implements AutoCloseable {

    private final Path place;
    private final List<ReservedPort> reserved = new ArrayList<>();
    private final List<Integer> ports;
    private final Path haproxyConf;
    private final Process nginx;
    private Process haproxy;

    public LivePair(Path place) throws IOException, InterruptedException {
        this.place = place;
        for (int i = 0; i < 4; i++) {
            reserved.add(new ReservedPort());
        }
        ports = reserved.stream().map(ReservedPort::number).toList();
        haproxyConf = Files.writeString(place.resolve("haproxy.cfg"), haproxyConf(place, ports));
        Path nginxConf = Files.writeString(place.resolve("nginx.conf"), nginxConf(place, ports.get(1)));
        nginx = start("nginx", "-e", place.resolve("nginx.log").toString(), "-c", nginxConf.toString());
        Until.reached(() -> listens(ports.get(1)));
        startHaproxy();
    }

    public String url() {
        return "http://127.0.0.1:" + ports.get(0) + "/";
    }

    public String adminSocket() {
        return place.resolve("admin.sock").toString();
    }

    public int adminPort() {
        return ports.get(2);
    }

    public String statsPage() {
        return "http://admin:s%40cret@127.0.0.1:" + ports.get(3) + "/stats";
    }

    public String statusPage() {
        return "http://127.0.0.1:" + ports.get(1) + "/status";
    }

    /** With a new process come new counters. */
    void restartHaproxy() throws IOException, InterruptedException {
        end(haproxy);
        startHaproxy();
    }

    void killHaproxy() {
        end(haproxy);
    }

    @Override
    public void close() throws IOException {
        end(haproxy);
        end(nginx);
        for (ReservedPort port : reserved) {
            port.close();
        }
    }

    private void startHaproxy() throws IOException, InterruptedException {
        haproxy = start("haproxy", "-db", "-f", haproxyConf.toString());
        // Its sockets come one after another, and which one first is HAProxy's business.
        Until.reached(
                () -> listens(ports.get(0)) && listens(ports.get(2)) && listens(ports.get(3)) && listensToItsAdmin(),
                () -> Until.text(place.resolve("haproxy.log")));
    }

    private Process start(String program, String... arguments) throws IOException {
        // Where an ordinary user's PATH does not lead.
        String path = Stream.of("/usr/sbin/", "/usr/local/sbin/", "/sbin/")
                .map(directory -> directory + program)
                .filter(file -> Files.isExecutable(Path.of(file)))
                .findFirst()
                .orElse(program);
        List<String> command = new ArrayList<>();
        command.add(path);
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(place.resolve(program + ".log").toFile())
                .start();
    }

    private boolean listensToItsAdmin() {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(adminSocket()))) {
            return channel.isConnected();
        } catch (IOException error) {
            return false;
        }
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            return true;
        } catch (IOException error) {
            return false;
        }
    }

    private static String haproxyConf(Path place, List<Integer> ports) {
        return """
            global
                stats socket %1$s/admin.sock level user
                stats socket ipv4@127.0.0.1:%4$d level user
            defaults
                mode http
                timeout connect 5s
                timeout client 5s
                timeout server 5s
            frontend shop
                bind 127.0.0.1:%2$d
                http-after-response set-header X-Balancer lb1
                http-response set-header X-Backend %%s
                default_backend web
            backend web
                server web1 127.0.0.1:%3$d
            frontend page
                bind 127.0.0.1:%5$d
                stats enable
                stats uri /stats
                stats auth admin:s@cret
            """.formatted(place, ports.get(0), ports.get(1), ports.get(2), ports.get(3));
    }

    /** With its workers, which outlive it. */
    private static void end(Process process) {
        List<ProcessHandle> workers = process.descendants().toList();
        process.destroyForcibly().onExit().join();
        workers.forEach(ProcessHandle::destroyForcibly);
    }

    private static String nginxConf(Path place, int port) {
        return """
            daemon off;
            worker_processes 1;
            pid %1$s/nginx.pid;
            error_log %1$s/nginx.log;
            events { worker_connections 64; }
            http {
                access_log off;
                client_body_temp_path %1$s/body;
                proxy_temp_path %1$s/proxy;
                fastcgi_temp_path %1$s/fastcgi;
                uwsgi_temp_path %1$s/uwsgi;
                scgi_temp_path %1$s/scgi;
                server {
                    listen 127.0.0.1:%2$d;
                    location / { return 200 "hello"; }
                    location /status { stub_status; }
                }
            }
            """.formatted(place, port);
    }
}
