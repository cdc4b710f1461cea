package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.command.GroupedProcess;
import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.IdentityReader;
import io.github.switchover.jmeter.core.IdentityReader.IdentitySettings;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.SwitchoverException.SourceException;
import io.github.switchover.jmeter.core.SwitchoverException.UsageException;
import io.github.switchover.jmeter.core.Units;
import io.github.switchover.jmeter.http.Attempt;
import io.github.switchover.jmeter.http.Destination;
import io.github.switchover.jmeter.http.Failures;
import io.github.switchover.jmeter.http.ProbeClient;
import io.github.switchover.jmeter.http.Request;
import io.github.switchover.jmeter.http.Resolver;
import io.github.switchover.jmeter.http.Timeouts;
import io.github.switchover.jmeter.target.Endpoint;
import io.github.switchover.jmeter.target.Endpoint.StatusRanges;
import io.github.switchover.jmeter.target.Source;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.URLDecoder;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sends one request to any kind of source and returns its answer, within limits of total time and size. */
public final class Transport {

    /** The time limit of a scrape. An answer after this time does not show the state at the time of the request. */
    public static final double TIMEOUT_S = 2.0;

    /** The longest answer, enough for 70,000 servers of HAProxy (measured: 220 KB for 1,000). */
    public static final int LIMIT_BYTES = 16 * 1024 * 1024;

    private static final String USER_AGENT = "switchover";

    /** A URL with a user, and perhaps with a password, which may contain an @. */
    private static final Pattern USER = Pattern.compile("([^/]*//)([^/?#]*)@(.*)", Pattern.DOTALL);

    /**
     * Returns the complete answer of a source within {@code timeoutS}, including name resolution and connecting.
     *
     * <p>The request is sent to a socket or a command's input. Throws SourceException without credentials in its
     * message.
     */
    static byte[] fetch(Source source, byte @Nullable [] request, double timeoutS, int limitBytes) {
        if (source instanceof Source.Command command) {
            return CommandRunner.of(command).timeoutS(timeoutS).request(request).fetch(limitBytes);
        }
        Deadline deadline = new Deadline(timeoutS);
        try {
            if (source instanceof Source.HttpPage page) {
                return fetchPage(page, deadline, limitBytes);
            }
            if (source instanceof Source.UnixSocket || source instanceof Source.TcpSocket) {
                return fetchSocket(source, addresses(source, deadline), request, deadline, limitBytes);
            }
        } catch (SocketTimeoutException error) {
            throw late(source, timeoutS);
        } catch (IOException error) {
            throw new SourceException(source + " cannot be read: " + Failures.messageOf(error), error);
        }
        throw new IllegalArgumentException("no request can be sent to " + source);
    }

    static SourceException late(Source source, double timeoutS) {
        return new SourceException(source + " gave no complete answer within " + Numbers.general(timeoutS) + " s");
    }

    static SourceException tooMuch(Source source, int limitBytes) {
        return new SourceException(
                source + " sent more than " + Numbers.grouped(limitBytes) + " bytes: check the source");
    }

    /** Fetches a page, with the user and password of its URL. */
    private static byte[] fetchPage(Source.HttpPage page, Deadline deadline, int limitBytes) throws IOException {
        Endpoint endpoint = endpoint(page.url());
        Attempt attempt;
        try (ProbeClient client = new ProbeClient(new IdentityReader(IdentitySettings.DEFAULT), null)) {
            Destination destination = Destination.of(endpoint, deadline.check());
            Timeouts timeouts = Timeouts.ofTotal(Units.secondsOfNs(deadline.check()));
            attempt = client.send(
                    Request.of(new byte[0], endpoint, destination, timeouts, USER_AGENT, false, limitBytes + 1));
        } catch (UsageException error) {
            throw new SourceException(page + " is not a valid URL: " + error.getMessage(), error);
        }
        if (attempt.error() != null) {
            throw explained(page, attempt, deadline, limitBytes);
        }
        return body(page, attempt, limitBytes);
    }

    private static byte[] body(Source.HttpPage page, Attempt attempt, int limitBytes) {
        int status = attempt.head().status();
        if (status == 401 || status == 403) {
            throw new SourceException(page + " answered " + status
                    + ": write the page's user and password into its URL, http://user:password@host…");
        }
        if (status != 200) {
            throw new SourceException(page + " answered " + status + ", not 200: check the address of the page");
        }
        if (attempt.body().length > limitBytes) {
            throw tooMuch(page, limitBytes);
        }
        return attempt.body();
    }

    private static SourceException explained(Source.HttpPage page, Attempt attempt, Deadline deadline, int limitBytes) {
        return switch (attempt.error()) {
            case CONNECT_TIMEOUT, READ_TIMEOUT -> late(page, deadline.seconds());
            case PROTOCOL, TRUNCATED ->
                attempt.message().startsWith("a body longer")
                        ? tooMuch(page, limitBytes)
                        : new SourceException(page + " sent an incomplete page: " + attempt.message());
            default -> new SourceException(page + " cannot be read: " + attempt.message());
        };
    }

    /** The URL without user and password, which are sent in a header. */
    private static Endpoint endpoint(String url) {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Accept", "text/plain, */*");
        String open = url;
        Matcher parts = USER.matcher(url);
        if (parts.matches()) {
            String[] pair = parts.group(2).split(":", 2);
            String credentials = decoded(pair[0]) + ":" + (pair.length > 1 ? decoded(pair[1]) : "");
            byte[] bytes = credentials.getBytes(StandardCharsets.UTF_8);
            headers.put("Authorization", "Basic " + Base64.getEncoder().encodeToString(bytes));
            open = parts.group(1) + parts.group(3);
        }
        return Endpoint.at(open).expecting(StatusRanges.ANY).with(open, headers);
    }

    /** Decodes percent signs only; a plus sign stays a plus sign. */
    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException error) {
            return text;
        }
    }

    /**
     * Reads a socket, at the first address that accepts a connection, to its end. Java's Unix sockets have no
     * time-outs, so the socket is closed at the deadline.
     */
    static byte[] fetchSocket(
            Source source, List<SocketAddress> addresses, byte @Nullable [] request, Deadline deadline, int limitBytes)
            throws IOException {
        IOException failure = new IOException("no address");
        for (SocketAddress address : addresses) {
            try (SocketChannel channel = open(address)) {
                Executor atDeadline = CompletableFuture.delayedExecutor(deadline.check(), TimeUnit.NANOSECONDS);
                atDeadline.execute(() -> GroupedProcess.close(channel));
                try {
                    channel.connect(address);
                } catch (ClosedChannelException error) {
                    throw error;
                } catch (IOException error) {
                    failure = error;
                    continue;
                }
                return exchange(channel, source, request, limitBytes);
            } catch (ClosedByInterruptException error) {
                throw new IOException("interrupted while waiting", error);
            } catch (ClosedChannelException error) {
                throw new SocketTimeoutException();
            } catch (UnsupportedOperationException error) {
                throw new IOException("this system has no Unix sockets", error);
            }
        }
        throw failure;
    }

    private static List<SocketAddress> addresses(Source source, Deadline deadline) throws IOException {
        if (source instanceof Source.TcpSocket tcp) {
            List<SocketAddress> found = new ArrayList<>();
            for (InetAddress address : Resolver.resolve(tcp.host(), deadline.check())) {
                found.add(new InetSocketAddress(address, tcp.port()));
            }
            return found;
        }
        return List.of(UnixDomainSocketAddress.of(((Source.UnixSocket) source).path()));
    }

    private static SocketChannel open(SocketAddress address) throws IOException {
        return address instanceof UnixDomainSocketAddress
                ? SocketChannel.open(StandardProtocolFamily.UNIX)
                : SocketChannel.open();
    }

    private static byte[] exchange(SocketChannel channel, Source source, byte @Nullable [] request, int limitBytes)
            throws IOException {
        if (request != null) {
            channel.write(ByteBuffer.wrap(request));
        }
        byte[] answer = Channels.newInputStream(channel).readNBytes(limitBytes + 1);
        if (answer.length > limitBytes) {
            throw tooMuch(source, limitBytes);
        }
        return answer;
    }
}
