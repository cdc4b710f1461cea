package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Units;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes samples with a buffer, which the owner flushes. Not thread-safe.
 *
 * <p>A full disk causes no exception, but {@link #lost} samples and a {@link #warning}. Texts are written unchanged.
 */
public final class SampleWriter implements AutoCloseable {

    /** The highest number of buffered rows; one more row causes a flush. */
    static final int BUFFERED_ROWS = 4096;

    private final Appender appender;
    private List<byte[]> rows = new ArrayList<>();

    public SampleWriter(Path path) {
        appender = new Appender(path, (SampleFormat.HEADER + '\n').getBytes(StandardCharsets.UTF_8));
    }

    public Path path() {
        return appender.path();
    }

    public void write(Sample sample) {
        rows.add(SampleFormat.row(sample));
        if (rows.size() >= BUFFERED_ROWS) {
            flush();
        }
    }

    /** Passes the buffered rows to the operating system, which keeps the rows if this process is killed. */
    public void flush() {
        if (!rows.isEmpty()) {
            List<byte[]> full = rows;
            rows = new ArrayList<>();
            appender.append(full);
        }
    }

    public Seal seal() {
        return appender.seal();
    }

    public long lost() {
        return appender.lost();
    }

    /** The reason for lost samples, in one line. */
    public @Nullable String warning() {
        return appender.warning();
    }

    @Override
    public void close() {
        flush();
        appender.close();
    }

    /**
     * The columns and rows of the sample log, with the same bytes as Python's {@code samples.py}.
     *
     * <p>Switchover's column names are in double quotes: {@code jmeter -g} refuses unknown names without quotes
     * (measured with 5.6.3). Milliseconds are truncated, as JMeter does.
     */
    public static final class SampleFormat {

        public static final String HEADER =
                "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
                        + "sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect,"
                        + "\"backend\",\"balancer\",\"answered_by\",\"error\",\"attempts\",\"stream\",\"session\","
                        + "\"intended_us\",\"start_us\",\"end_us\"";

        public static final List<String> COLUMNS =
                List.of(HEADER.replace("\"", "").split(",", -1));

        private static final int USUAL_LENGTH = 512;

        /** Returns the row of a sample with its line end. A quoted field may contain newlines. */
        static byte[] row(Sample sample) {
            Identity who = sample.identity();
            Long intendedUs = sample.times().intendedUs();
            long startMs = milliseconds(sample.startUs());
            StringBuilder row = new StringBuilder(USUAL_LENGTH).append(startMs);
            number(row, milliseconds(sample.endUs()) - startMs);
            text(row, sample.request().label());
            text(row, sample.answer().code());
            text(row, sample.answer().message());
            text(row, sample.client().thread());
            row.append(sample.success() ? ",text,true" : ",text,false");
            text(row, sample.answer().failureMessage());
            number(row, sample.answer().receivedBytes());
            number(row, sample.answer().sentBytes());
            number(row, sample.client().groupUsers());
            number(row, sample.client().users());
            text(row, sample.request().url());
            number(row, milliseconds(sample.startUs() + sample.times().latencyUs()) - startMs);
            row.append(",0");
            number(row, milliseconds(sample.startUs() + sample.times().connectUs()) - startMs);
            text(row, who.backend());
            text(row, who.balancer());
            text(row, who.answeredBy().label());
            text(row, sample.error() == null ? "" : sample.error().label());
            number(row, sample.request().attempts());
            text(row, sample.request().stream());
            text(row, sample.request().session());
            row.append(',').append(intendedUs == null ? "" : intendedUs);
            number(row, sample.startUs());
            number(row, sample.endUs());
            return row.append('\n').toString().getBytes(StandardCharsets.UTF_8);
        }

        private static long milliseconds(long microseconds) {
            return Math.floorDiv(microseconds, Units.US_PER_MS);
        }

        private static void number(StringBuilder row, long number) {
            row.append(',').append(number);
        }

        /** Writes text like JMeter's CSVSaveService: quoted only if needed, with quotes in the text doubled. */
        private static void text(StringBuilder row, String text) {
            row.append(',');
            boolean isPlain =
                    text.indexOf(',') < 0 && text.indexOf('"') < 0 && text.indexOf('\n') < 0 && text.indexOf('\r') < 0;
            if (isPlain) {
                row.append(text);
            } else {
                row.append('"').append(text.replace("\"", "\"\"")).append('"');
            }
        }
    }
}
