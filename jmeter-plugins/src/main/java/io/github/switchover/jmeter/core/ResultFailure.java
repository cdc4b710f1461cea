package io.github.switchover.jmeter.core;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Why a JMeter sample failed, from what its result says of it.
 *
 * <p>JMeter's HTTP samplers write the class of an exception into the response code and its message into the response
 * message; nothing else of it is left, least of all in a distributed test. The rules are for what HttpClient 4.5 and
 * the JDK's own client throw (measured), asked in their order: what the operating system said outranks the class, which
 * for the same cause differs between clients and JDKs.
 */
public final class ResultFailure {

    private static final Pattern THROWN = Pattern.compile("Non HTTP response code: (?:[\\w.$]*[.$])?(?<type>\\w+)");
    private static final Pattern STATUS = Pattern.compile("[1-5][0-9]{2}");
    private static final int FIRST_BAD_STATUS = 400;

    /** JMeter closes the connection of a request at its Sample Timeout, and when its thread is stopped. */
    private static final Rule CLOSED = said(
            FailureKind.READ_TIMEOUT,
            "socket closed",
            "socket is closed",
            "closed by interrupt",
            "connection has been shut down");

    private static final Rule INTERRUPTED = thrown(
            FailureKind.READ_TIMEOUT, "RequestAbortedException", "InterruptedException", "ClosedByInterruptException");

    private static final List<Rule> RULES = List.of(
            // The client's own limits and mistakes.
            said(FailureKind.GENERATOR, "cannot assign requested address", "address already in use"),
            said(FailureKind.GENERATOR, "too many open files", "no buffer space", "cannot allocate memory"),
            said(FailureKind.GENERATOR, "unable to create", "connection pool shut down", "protocol is not supported"),
            CLOSED,
            // The operating system's words.
            said(FailureKind.REFUSED, "connection refused"),
            said(FailureKind.UNREACHABLE, "no route to host", "network is unreachable", "host is down"),
            said(FailureKind.RESET, "connection reset", "broken pipe", "software caused connection abort"),
            said(FailureKind.CONNECT_TIMEOUT, "connect timed out"),
            said(FailureKind.READ_TIMEOUT, "read timed out"),
            said(FailureKind.TRUNCATED, "unexpected end of file", "premature e"),
            said(FailureKind.PROTOCOL, "invalid http response", "bogus chunk", "bad chunk"),
            // Types.
            thrown(FailureKind.GENERATOR, "ConnectionPoolTimeoutException", "BindException"),
            thrown(FailureKind.GENERATOR, "MalformedURLException", "URISyntaxException", "OutOfMemoryError"),
            INTERRUPTED,
            thrown(FailureKind.GENERATOR, "IllegalArgumentException", "IllegalStateException"),
            thrown(FailureKind.DNS, "UnknownHostException", "UnresolvedAddressException"),
            thrown(FailureKind.CONNECT_TIMEOUT, "ConnectTimeoutException", "HttpConnectTimeoutException"),
            both(FailureKind.CONNECT_TIMEOUT, "timed out", "HttpHostConnectException", "ConnectException"),
            thrown(FailureKind.READ_TIMEOUT, "SocketTimeoutException", "HttpTimeoutException"),
            both(FailureKind.READ_TIMEOUT, "timed out", "SocketException"),
            thrown(FailureKind.UNREACHABLE, "HttpHostConnectException", "ConnectException"),
            thrown(FailureKind.UNREACHABLE, "NoRouteToHostException", "PortUnreachableException"),
            thrown(FailureKind.TLS, "SSLException", "SSLHandshakeException", "SSLPeerUnverifiedException"),
            thrown(FailureKind.TLS, "SSLProtocolException", "SSLKeyException", "CertificateException"),
            thrown(FailureKind.TRUNCATED, "NoHttpResponseException", "ConnectionClosedException", "EOFException"),
            thrown(FailureKind.TRUNCATED, "TruncatedChunkException", "ZipException"),
            thrown(
                    FailureKind.PROTOCOL,
                    "ClientProtocolException",
                    "ProtocolException",
                    "MalformedChunkCodingException"),
            thrown(FailureKind.PROTOCOL, "RedirectException", "CircularRedirectException", "ParseException"),
            // A socket that was closed for an unknown reason.
            thrown(FailureKind.RESET, "SocketException", "ClosedChannelException", "IOException"));

    private ResultFailure() {}

    /** What holds for an exception of one of those types, or with one of those words in its message. */
    private record Rule(FailureKind kind, List<String> types, List<String> words) {

        boolean holds(String type, String message) {
            return (types.isEmpty() || types.contains(type))
                    && (words.isEmpty() || words.stream().anyMatch(message::contains));
        }
    }

    /**
     * The kind of a failed sample's failure.
     *
     * @param responseCode a status, {@code Non HTTP response code: } and a class, or what a sampler made up
     * @param responseMessage what came with it
     * @param isStopping the thread of the sample was told to end: a request that JMeter cut then did not fail
     */
    public static FailureKind kindOf(String responseCode, String responseMessage, boolean isStopping) {
        Matcher thrown = THROWN.matcher(responseCode);
        if (thrown.matches()) {
            String type = thrown.group("type");
            String message = responseMessage.toLowerCase(Locale.ROOT);
            return RULES.stream()
                    .filter(rule -> rule.holds(type, message))
                    .map(rule -> isStopping && (rule.equals(CLOSED) || rule.equals(INTERRUPTED))
                            ? FailureKind.GENERATOR
                            : rule.kind())
                    .findFirst()
                    .orElse(FailureKind.PROTOCOL);
        }
        boolean bad = STATUS.matcher(responseCode).matches() && Integer.parseInt(responseCode) >= FIRST_BAD_STATUS;
        // A good status, or none: somebody else, an assertion say, found the sample wrong.
        return bad ? FailureKind.STATUS : FailureKind.ASSERTION;
    }

    private static Rule said(FailureKind kind, String... words) {
        return new Rule(kind, List.of(), List.of(words));
    }

    private static Rule thrown(FailureKind kind, String... types) {
        return new Rule(kind, List.of(types), List.of());
    }

    private static Rule both(FailureKind kind, String word, String... types) {
        return new Rule(kind, List.of(types), List.of(word));
    }
}
