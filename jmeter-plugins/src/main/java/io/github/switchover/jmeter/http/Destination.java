package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.target.Endpoint;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** The destination of connections. Its name is resolved only once, because a probe must not wait for DNS. */
public record Destination(
        InetSocketAddress address, @Nullable TlsClient tls) {

    private static final long RESOLVE_NS = 10_000_000_000L;

    /** Returns the first address of the host. Throws UsageException if its CA certificates cannot be read. */
    public static Destination of(Endpoint endpoint) throws UnknownHostException {
        return of(endpoint, RESOLVE_NS);
    }

    public static Destination of(Endpoint endpoint, long timeoutNs) throws UnknownHostException {
        var addresses = Resolver.resolve(endpoint.host(), timeoutNs);
        return new Destination(
                new InetSocketAddress(addresses.get(0), endpoint.port()),
                endpoint.isTls() ? TlsClient.of(endpoint) : null);
    }

    /** {@code 198.18.0.50:80}, {@code [::1]:80}. */
    @Override
    public String toString() {
        String host = address.getAddress().getHostAddress();
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
