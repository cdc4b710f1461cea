package io.github.switchover.jmeter.http;

import io.github.switchover.jmeter.core.Outcome.FailureKind;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Locale;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Classifies network exceptions by type, phase and the message of the operating system. */
public final class Failures {

    private static final int MESSAGE_LIMIT = 200;

    /** {@code connecting}: true if the connection was not usable yet. */
    public static FailureKind kindOf(IOException error, boolean connecting) {
        String words = String.valueOf(error.getMessage()).toLowerCase(Locale.ROOT);
        if (error instanceof SSLException) {
            return FailureKind.TLS;
        }
        // The client has no free port, descriptor or buffer. The balancer is not the cause.
        if (error instanceof BindException || has(words, "too many open files", "no buffer space", "cannot allocate")) {
            return FailureKind.GENERATOR;
        }
        if (error instanceof UnknownHostException) {
            return FailureKind.DNS;
        }
        if (error instanceof NoRouteToHostException) {
            return FailureKind.UNREACHABLE;
        }
        // A time-out of the kernel; its kind depends on the phase.
        if (error instanceof SocketTimeoutException || has(words, "timed out")) {
            return connecting ? FailureKind.CONNECT_TIMEOUT : FailureKind.READ_TIMEOUT;
        }
        if (error instanceof ConnectException) {
            return FailureKind.REFUSED;
        }
        if (has(words, "reset", "broken pipe", "aborted")) {
            return FailureKind.RESET;
        }
        return connecting ? FailureKind.UNREACHABLE : FailureKind.RESET;
    }

    /** Returns the message of the innermost cause in one line, because outer exceptions only wrap it. */
    public static String messageOf(Throwable error) {
        Throwable inner = error;
        for (int depth = 0; inner.getCause() != null && depth < 8; depth++) {
            inner = inner.getCause();
        }
        String message = inner.getMessage() == null ? inner.getClass().getSimpleName() : inner.getMessage();
        String line = message.replaceAll("\\s+", " ").strip();
        return line.length() > MESSAGE_LIMIT ? line.substring(0, MESSAGE_LIMIT) : line;
    }

    private static boolean has(String words, String... any) {
        return Stream.of(any).anyMatch(words::contains);
    }
}
