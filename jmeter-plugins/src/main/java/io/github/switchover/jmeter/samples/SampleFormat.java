package io.github.switchover.jmeter.samples;

import io.github.switchover.jmeter.identity.Identity;
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

    private static final long US_PER_MS = 1000;

    private SampleFormat() {}

    /** The sample's row, without the end of the line (a quoted field may hold newlines). */
    public static String format(Sample sample) {
        Identity who = sample.identity();
        long startMs = milliseconds(sample.startUs());
        StringBuilder row = new StringBuilder(256);
        row.append(startMs).append(',').append(milliseconds(sample.endUs()) - startMs);
        text(row, sample.label());
        text(row, sample.code());
        text(row, sample.message());
        text(row, sample.thread());
        row.append(",text,").append(sample.success());
        text(row, sample.failureMessage());
        number(row, sample.nbytes());
        number(row, sample.sentBytes());
        number(row, sample.users());
        number(row, sample.users());
        text(row, sample.url());
        number(row, milliseconds(sample.startUs() + sample.latencyUs()) - startMs);
        row.append(",0");
        number(row, milliseconds(sample.startUs() + sample.connectUs()) - startMs);
        text(row, who.backend());
        text(row, who.balancer());
        row.append(',').append(who.answeredBy().label());
        row.append(',').append(sample.error() == null ? "" : sample.error().label());
        number(row, sample.attempts());
        row.append(',').append(sample.stream());
        text(row, sample.session());
        row.append(',').append(sample.intendedUs() == null ? "" : sample.intendedUs());
        number(row, sample.startUs());
        number(row, sample.endUs());
        return row.toString();
    }

    private static long milliseconds(long microseconds) {
        return Math.floorDiv(microseconds, US_PER_MS);
    }

    private static void number(StringBuilder row, long number) {
        row.append(',').append(number);
    }

    /** As JMeter's CSVSaveService.quoteDelimiters: in quotes only where needed, a quote in the text doubled. */
    private static void text(StringBuilder row, String text) {
        row.append(',');
        if (needsQuotes(text)) {
            row.append('"').append(text.replace("\"", "\"\"")).append('"');
        } else {
            row.append(text);
        }
    }

    private static boolean needsQuotes(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == ',' || c == '"' || c == '\r' || c == '\n') {
                return true;
            }
        }
        return false;
    }
}
