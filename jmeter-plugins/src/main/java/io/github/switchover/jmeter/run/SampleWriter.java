package io.github.switchover.jmeter.run;

import io.github.switchover.jmeter.core.Identity;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.Units;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Writes samples to one file, buffered: the owner calls {@link #flush}, for example every 100 ms. Not thread-safe.
 *
 * <p>A full disk never throws: {@link #lost} counts the samples and {@link #warning} has the reason. Writing resumes
 * when there is room. Texts are written unchanged: URLs and messages go through {@code PublicText} first.
 */
public final class SampleWriter implements AutoCloseable {

    /** Rows that wait for a flush at most; the next one flushes by itself. */
    static final int BUFFERED_ROWS = 4096;

    private final Appender appender;
    private final RowBytes row = new RowBytes();
    private List<byte[]> rows = new ArrayList<>();

    public SampleWriter(Path path) {
        appender = new Appender(path, (SampleFormat.HEADER + '\n').getBytes(StandardCharsets.UTF_8));
    }

    public Path path() {
        return appender.path();
    }

    public void write(Sample sample) {
        rows.add(SampleFormat.row(sample, row));
        if (rows.size() >= BUFFERED_ROWS) {
            flush();
        }
    }

    /** Hands the buffered rows to the operating system, after which they outlive this process. */
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

    /** Why, in one line; null if none was lost. */
    public String warning() {
        return appender.warning();
    }

    @Override
    public void close() {
        flush();
        appender.close();
    }

    /**
     * Columns and rows of the sample log, the same bytes as Python's {@code samples.py} for the same sample.
     *
     * <p>The names of Switchover's columns stand in double quotes in the header, as JMeter writes its sample
     * variables. {@code jmeter -g} reads such a file unchanged, and refuses unknown names without quotes (measured
     * with 5.6.3). Milliseconds are cut off, not rounded, from the exact microseconds of Switchover's columns, as
     * JMeter cuts its clock.
     */
    public static final class SampleFormat {

        public static final String HEADER =
                "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
                        + "sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect,"
                        + "\"backend\",\"balancer\",\"answered_by\",\"error\",\"attempts\",\"stream\",\"session\","
                        + "\"intended_us\",\"start_us\",\"end_us\"";

        public static final List<String> COLUMNS =
                List.of(HEADER.replace("\"", "").split(",", -1));

        private SampleFormat() {}

        /** The sample's row with the end of its line (a quoted field may hold newlines). */
        static byte[] row(Sample sample, RowBytes row) {
            Identity who = sample.identity();
            long startMs = milliseconds(sample.startUs());
            row.number(startMs);
            number(row, milliseconds(sample.endUs()) - startMs);
            text(row, sample.request().label());
            text(row, sample.answer().code());
            text(row, sample.answer().message());
            text(row, sample.client().thread());
            row.plain(sample.success() ? ",text,true" : ",text,false");
            text(row, sample.answer().failureMessage());
            number(row, sample.answer().receivedBytes());
            number(row, sample.answer().sentBytes());
            number(row, sample.client().groupUsers());
            number(row, sample.client().users());
            text(row, sample.request().url());
            number(row, milliseconds(sample.startUs() + sample.times().latencyUs()) - startMs);
            row.plain(",0");
            number(row, milliseconds(sample.startUs() + sample.times().connectUs()) - startMs);
            text(row, who.backend());
            text(row, who.balancer());
            text(row, who.answeredBy().label());
            text(row, sample.error() == null ? "" : sample.error().label());
            number(row, sample.request().attempts());
            text(row, sample.request().stream());
            text(row, sample.request().session());
            row.next();
            if (sample.times().intendedUs() != null) {
                row.number(sample.times().intendedUs());
            }
            number(row, sample.startUs());
            number(row, sample.endUs());
            return row.take();
        }

        private static long milliseconds(long microseconds) {
            return Math.floorDiv(microseconds, Units.US_PER_MS);
        }

        private static void number(RowBytes row, long number) {
            row.next();
            row.number(number);
        }

        private static void text(RowBytes row, String text) {
            row.next();
            row.text(text);
        }
    }

    /**
     * A row of a CSV file while it is written, as UTF-8. Thousands of samples are written in a second. So all share
     * one buffer, and no text is created on the way. Not thread-safe.
     */
    static final class RowBytes {

        private static final int USUAL_LENGTH = 512;
        private static final int LONGEST_NUMBER = 20;

        private byte[] bytes = new byte[USUAL_LENGTH];
        private int length;

        /**
         * Writes text like JMeter's CSVSaveService.quoteDelimiters: in quotes only if needed, a quote in the text
         * doubled.
         */
        void text(String text) {
            int size = text.length();
            reserve(size);
            int end = length;
            for (int i = 0; i < size; i++) {
                char c = text.charAt(i);
                if (c > '~' || isDelimiter(c)) {
                    unusual(text);
                    return;
                }
                bytes[end++] = (byte) c;
            }
            length = end;
        }

        void number(long number) {
            if (number < 0) {
                plain(Long.toString(number));
                return;
            }
            reserve(LONGEST_NUMBER);
            int digits = 1;
            for (long rest = number / 10; rest > 0; rest /= 10) {
                digits++;
            }
            length += digits;
            long rest = number;
            for (int place = length - 1; digits > 0; digits--) {
                bytes[place--] = (byte) ('0' + rest % 10);
                rest /= 10;
            }
        }

        /** ASCII that needs no quotes. */
        void plain(String ascii) {
            int size = ascii.length();
            reserve(size);
            for (int i = 0; i < size; i++) {
                bytes[length++] = (byte) ascii.charAt(i);
            }
        }

        void next() {
            reserve(1);
            bytes[length++] = ',';
        }

        /** The row with the end of its line; the next one begins. */
        byte[] take() {
            reserve(1);
            bytes[length++] = '\n';
            byte[] row = Arrays.copyOf(bytes, length);
            length = 0;
            return row;
        }

        private void unusual(String text) {
            boolean quoted = text.chars().anyMatch(RowBytes::isDelimiter);
            String written = quoted ? '"' + text.replace("\"", "\"\"") + '"' : text;
            byte[] encoded = written.getBytes(StandardCharsets.UTF_8);
            reserve(encoded.length);
            System.arraycopy(encoded, 0, bytes, length, encoded.length);
            length += encoded.length;
        }

        private void reserve(int more) {
            if (bytes.length - length < more) {
                bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
            }
        }

        private static boolean isDelimiter(int c) {
            return c == ',' || c == '"' || c == '\r' || c == '\n';
        }
    }
}
