package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.DaemonThread;
import io.github.switchover.jmeter.target.UrlParts;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Resolves names with a time limit, which Java does not offer. */
public final class Resolver {

    /** Returns the addresses of a host; a literal address returns itself. */
    public static List<InetAddress> resolve(String host, long timeoutNs) throws UnknownHostException {
        InetAddress literal = UrlParts.parseAddress(host);
        if (literal != null) {
            return List.of(literal);
        }
        FutureTask<InetAddress[]> lookup = new FutureTask<>(() -> InetAddress.getAllByName(host));
        DaemonThread.start("resolve " + host, lookup);
        try {
            return List.of(lookup.get(timeoutNs, TimeUnit.NANOSECONDS));
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
            throw notFound(host);
        } catch (ExecutionException | TimeoutException error) {
            throw notFound(host);
        }
    }

    /** Returns the addresses of a host; empty if no address is found in time. */
    public static Set<InetAddress> find(String host, long timeoutNs) {
        try {
            return host.isEmpty() ? Set.of() : new LinkedHashSet<>(resolve(host, timeoutNs));
        } catch (UnknownHostException error) {
            return Set.of();
        }
    }

    private static UnknownHostException notFound(String host) {
        return new UnknownHostException("this machine finds no address of the name '" + host + "'");
    }
}
