package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.command.CommandRunner;
import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.http.Failures;
import io.github.switchover.jmeter.target.Source;
import java.io.IOException;
import java.net.SocketTimeoutException;

/** One question, one answer, from any kind of source; bounded in total time and in size. */
public final class Transport {

    /** A source that needs longer than this tells nothing about the moment it was asked in. */
    public static final double TIMEOUT_S = 2.0;

    /** HAProxy's table takes 220 bytes a server (measured: 220 KB for 1000); this is room for 70,000. */
    public static final int LIMIT_BYTES = 16 * 1024 * 1024;

    private Transport() {}

    /**
     * The whole answer of a source, up to the end of the connection, page or command.
     *
     * @param request goes to a socket as it is and to a command's input; null: nothing; a page takes none
     * @param timeoutS bounds the whole exchange, name resolution and connecting included
     * @throws SourceException in one line, without credentials
     */
    static byte[] fetch(Source source, byte[] request, double timeoutS, int limitBytes) {
        if (source instanceof Source.Command command) {
            return CommandRunner.of(command).timeoutS(timeoutS).request(request).fetch(limitBytes);
        }
        Deadline deadline = new Deadline(timeoutS);
        try {
            if (source instanceof Source.HttpPage page) {
                return Page.fetch(page, deadline, limitBytes);
            }
            if (source instanceof Source.UnixSocket || source instanceof Source.TcpSocket) {
                return SocketFetch.fetch(source, request, deadline, limitBytes);
            }
        } catch (SocketTimeoutException error) {
            throw late(source, timeoutS);
        } catch (IOException error) {
            throw new SourceException(source + " cannot be read: " + Failures.messageOf(error), error);
        }
        throw new IllegalArgumentException("nothing can be asked of " + source);
    }

    static SourceException late(Source source, double timeoutS) {
        return new SourceException(source + " gave no complete answer within " + Numbers.general(timeoutS) + " s");
    }

    static SourceException tooMuch(Source source, int limitBytes) {
        return new SourceException(
                source + " sent more than " + Numbers.grouped(limitBytes) + " bytes: not what was asked for");
    }
}
