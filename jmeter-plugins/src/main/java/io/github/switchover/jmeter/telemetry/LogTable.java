package io.github.switchover.jmeter.telemetry;

import io.github.switchover.jmeter.core.Reason;
import java.io.BufferedWriter;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code access-<node>.csv} in the run directory, a line per record. A disk that takes none costs it, and no run. */
final class LogTable implements AutoCloseable {

    static final String COLUMNS = "time_us,remote,status,bytes,request_method,path";

    private final Path path;
    private Writer writer;
    private String warning;

    LogTable(Path directory, String node) {
        path = directory.resolve(fileName(node));
        try {
            writer = new BufferedWriter(
                    new OutputStreamWriter(new FileOutputStream(path.toFile()), StandardCharsets.UTF_8));
        } catch (IOException error) {
            failed(error);
        }
        write(COLUMNS);
    }

    static String fileName(String node) {
        return "access-" + node + ".csv";
    }

    /** {@code timeUs}: on the run's clock. */
    void write(LogRecord logged, long timeUs) {
        write(timeUs + "," + logged.remote() + "," + logged.status() + "," + logged.nbytes() + ","
                + quoted(logged.method()) + "," + quoted(logged.path()));
    }

    /** Null if all is well; to be asked after the end. */
    String warning() {
        return warning;
    }

    @Override
    public void close() {
        try {
            if (writer != null) {
                writer.close();
            }
        } catch (IOException error) {
            failed(error);
        }
    }

    /** It is not what it was to be. */
    void discard() {
        close();
        warning = null;
        try {
            Files.deleteIfExists(path);
        } catch (IOException error) {
            failed(error);
        }
    }

    private void write(String row) {
        if (warning != null) {
            return;
        }
        try {
            writer.write(row);
            writer.write('\n');
        } catch (IOException error) {
            failed(error);
        }
    }

    private void failed(IOException error) {
        if (warning == null) {
            warning = "cannot write " + path + ": " + Reason.of(error);
        }
    }

    private static String quoted(String text) {
        boolean plain = text.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }
}
