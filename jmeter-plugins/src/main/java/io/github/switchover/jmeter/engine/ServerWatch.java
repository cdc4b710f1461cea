package io.github.switchover.jmeter.engine;

import io.github.switchover.jmeter.core.DaemonThread;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.jmeter.rmi.RmiUtils;
import org.jspecify.annotations.Nullable;

/** Detects killed servers of a remote test by connecting to each server at intervals. Thread-safe. */
public final class ServerWatch {

    private static final long EVERY_S = 5;
    private static final int TIMEOUT_MS = 2000;

    /** The number of failed connections after which a server counts as lost. A busy server may miss one. */
    private static final int MISSES = 3;

    private final Consumer<String> lost;
    private final Set<String> hosts = new LinkedHashSet<>();
    private @Nullable CountDownLatch stopped;

    public ServerWatch(Consumer<String> lost) {
        this.lost = lost;
    }

    /** {@code host}: empty for this JVM. */
    public synchronized void watch(String host) {
        if (host.isEmpty() || !hosts.add(host) || stopped != null) {
            return;
        }
        CountDownLatch stop = new CountDownLatch(1);
        stopped = stop;
        DaemonThread.start("switchover servers", () -> run(stop));
    }

    public synchronized void stop() {
        hosts.clear();
        if (stopped != null) {
            stopped.countDown();
            stopped = null;
        }
    }

    /** Returns an unresolved address from JMeter's {@code host} or {@code host:port}, also of IPv6 in brackets. */
    public static InetSocketAddress addressOf(String host, int usualPort) {
        int colon = host.indexOf(':', host.indexOf(']') + 1);
        boolean port = colon >= 0 && host.substring(colon + 1).matches("[0-9]{1,5}");
        return InetSocketAddress.createUnresolved(
                port ? host.substring(0, colon) : host, port ? Integer.parseInt(host.substring(colon + 1)) : usualPort);
    }

    private void run(CountDownLatch stop) {
        Map<String, Integer> misses = new HashMap<>();
        try {
            while (!stop.await(EVERY_S, TimeUnit.SECONDS)) {
                for (String host : known()) {
                    int missed = isThere(host) ? 0 : misses.getOrDefault(host, 0) + 1;
                    misses.put(host, missed);
                    if (missed == MISSES) {
                        lost.accept(host);
                    }
                }
            }
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Set<String> known() {
        return new LinkedHashSet<>(hosts);
    }

    private static boolean isThere(String host) {
        try (Socket socket = new Socket()) {
            InetSocketAddress address = addressOf(host, RmiUtils.DEFAULT_RMI_PORT);
            socket.connect(new InetSocketAddress(address.getHostString(), address.getPort()), TIMEOUT_MS);
            return true;
        } catch (IOException | IllegalArgumentException error) {
            return false;
        }
    }
}
