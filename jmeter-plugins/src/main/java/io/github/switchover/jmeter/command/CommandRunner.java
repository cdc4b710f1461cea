package io.github.switchover.jmeter.command;

import io.github.switchover.jmeter.core.Deadline;
import io.github.switchover.jmeter.core.Numbers;
import io.github.switchover.jmeter.core.Reason;
import io.github.switchover.jmeter.core.SourceException;
import io.github.switchover.jmeter.target.Source;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;

/** One command, run to its end: bounded in time and size, its whole process group killed when it exceeds either. */
public final class CommandRunner {

    private static final long POLL_NS = 2_000_000;
    private static final int CHUNK = 65536;

    private CommandRunner() {}

    /**
     * What it prints, given {@code request} on its input.
     *
     * @param children null: none
     * @throws SourceException when it cannot start, takes longer, prints more, or exits with anything but 0
     */
    public static byte[] run(
            Source.Command command, byte[] request, double timeoutS, int limitBytes, ChildProcesses children) {
        ByteArrayOutputStream answer = new ByteArrayOutputStream();
        run(command, request, answer, timeoutS, limitBytes, children);
        return answer.toByteArray();
    }

    /**
     * Hands on each piece of what it prints, when it is there.
     *
     * @throws SourceException as above, and what {@code sink} throws
     */
    public static void run(
            Source.Command command,
            byte[] request,
            OutputStream sink,
            double timeoutS,
            long limitBytes,
            ChildProcesses children) {
        Deadline deadline = new Deadline(timeoutS);
        GroupedProcess started = start(command);
        Process process = started.process();
        if (children != null) {
            children.hold(started);
        }
        ErrorTail errorTail = new ErrorTail();
        String problem;
        try {
            give(process, request);
            problem = follow(process, sink, errorTail, deadline, limitBytes);
        } finally {
            end(started, children);
        }
        if (problem != null) {
            String fate = started.isGone() ? "ended it" : "it cannot be ended, and may still run";
            throw new SourceException("`" + command + "` " + problem + ": " + fate);
        }
        int status = process.exitValue();
        if (status != 0) {
            String complaint = errorTail.last();
            throw new SourceException("`" + command + "` failed with exit status " + status
                    + (complaint.isEmpty() ? "" : ": " + complaint));
        }
    }

    /** A process in a group of its own; what keeps it from starting is one line. */
    public static GroupedProcess start(Source.Command command) {
        try {
            return GroupedProcess.start(command.arguments(), false);
        } catch (IOException error) {
            String reason = String.valueOf(error.getMessage());
            throw new SourceException(
                    "cannot run '" + command.arguments().get(0) + "': "
                            + (reason.startsWith("No such file") ? "no such program is installed here" : reason),
                    error);
        }
    }

    /** Null when it has ended, else why it is not waited for any longer. */
    private static String follow(
            Process process, OutputStream sink, ErrorTail errorTail, Deadline deadline, long limitBytes) {
        boolean ended = false;
        long printed = 0;
        while (true) {
            byte[] piece = take(process.getInputStream());
            printed += piece.length;
            if (printed > limitBytes) {
                return "printed more than " + Numbers.grouped(limitBytes) + " bytes";
            }
            give(sink, piece);
            boolean some = errorTail.take(process.getErrorStream()) || piece.length > 0;
            if (ended && !some) {
                return null;
            }
            if (deadline.hasPassed()) {
                return "gave no complete answer within " + Numbers.general(deadline.seconds()) + " s";
            }
            if (!some && !ended) {
                ended = awaitExit(process);
            }
        }
    }

    /** What is there, without waiting for more. */
    private static byte[] take(InputStream output) {
        try {
            return output.readNBytes(Math.max(0, Math.min(output.available(), CHUNK)));
        } catch (IOException error) {
            return new byte[0];
        }
    }

    private static void give(OutputStream sink, byte[] piece) {
        try {
            sink.write(piece, 0, piece.length);
        } catch (IOException error) {
            throw new SourceException("what was read cannot be kept: " + Reason.of(error), error);
        }
    }

    private static boolean awaitExit(Process process) {
        try {
            return process.waitFor(POLL_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException error) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
            return true;
        }
    }

    private static void give(Process process, byte[] request) {
        try (OutputStream input = process.getOutputStream()) {
            if (request != null) {
                input.write(request);
            }
        } catch (IOException error) {
            // It ended without reading; its exit status and stderr say more than the broken pipe.
            return;
        }
    }

    private static void end(GroupedProcess started, ChildProcesses children) {
        if (children != null) {
            children.end(started);
        } else {
            started.killGroup();
        }
        close(started.process().getInputStream());
        close(started.process().getErrorStream());
    }

    private static void close(InputStream stream) {
        try {
            stream.close();
        } catch (IOException error) {
            return; // it has been read
        }
    }
}
