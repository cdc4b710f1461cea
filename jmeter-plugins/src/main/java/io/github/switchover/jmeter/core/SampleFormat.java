package io.github.switchover.jmeter.core;

import java.util.List;

/**
 * Columns and rows of the sample log, the same bytes as Python's {@code samples.py} for the same sample.
 *
 * <p>The names of our columns stand in double quotes in the header, as JMeter writes its sample variables: {@code
 * jmeter -g} reads such a file as it is, and refuses unknown names without quotes (measured with 5.6.3). Milliseconds
 * are cut off, not rounded, from the exact microseconds of our columns, as JMeter cuts its clock.
 */
public final class SampleFormat {

    public static final String HEADER =
            "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,"
                    + "sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect,"
                    + "\"backend\",\"balancer\",\"answered_by\",\"error\",\"attempts\",\"stream\",\"session\","
                    + "\"intended_us\",\"start_us\",\"end_us\"";

    public static final List<String> COLUMNS = List.of(HEADER.replace("\"", "").split(",", -1));

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
