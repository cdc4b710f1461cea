package io.github.switchover.jmeter.core;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * The samples of a JTL, ours or anybody's, in the order of the file. Not thread-safe.
 *
 * <p>Columns are found by name. Without ours, times are those of JMeter's milliseconds and the identity is unknown. Rows
 * that cannot be read are counted as ignored; only a file without a header of JTL throws.
 */
public final class SampleReader implements Iterator<Sample>, AutoCloseable {

    /** Why a line was left out that stood for no request. */
    public static final String REPEATED_HEADER = "repeated header";

    private static final List<String> REQUIRED = List.of("timeStamp", "elapsed", "success");
    private static final int SHOWN = 60;
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private final Lines lines;
    private final Ignored ignored;
    private final List<String> columns;
    private final RowReader rows;
    private final SampleRow reader;
    private Sample following;

    public SampleReader(Path path, Ignored ignored) {
        this.ignored = ignored;
        lines = new Lines(path, ignored);
        try {
            columns = columns(path, lines.next());
        } catch (RunDirectoryException error) {
            lines.close();
            throw error;
        }
        rows = new RowReader(lines, columns.size(), ignored);
        reader = new SampleRow(columns);
        following = read();
    }

    @Override
    public boolean hasNext() {
        return following != null;
    }

    @Override
    public Sample next() {
        if (following == null) {
            throw new NoSuchElementException();
        }
        Sample sample = following;
        following = read();
        return sample;
    }

    @Override
    public void close() {
        lines.close();
    }

    private Sample read() {
        for (List<String> row = rows.next(); row != null; row = rows.next()) {
            if (row.equals(columns)) {
                ignored.add(REPEATED_HEADER);
                continue;
            }
            try {
                return reader.read(row);
            } catch (SampleRow.RowException reason) {
                ignored.add(reason.getMessage());
            }
        }
        lines.close();
        return null;
    }

    private static List<String> columns(Path path, byte[] header) {
        if (header == null) {
            throw new RunDirectoryException(path + " has no header line: a sample log starts with its column names");
        }
        String text = new String(header, StandardCharsets.UTF_8);
        String names = text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        List<String> columns =
                Objects.requireNonNullElse(CsvRow.split(names.replaceFirst("\r+$", "")), List.<String>of());
        String missing =
                REQUIRED.stream().filter(name -> !columns.contains(name)).collect(Collectors.joining(", "));
        if (!missing.isEmpty()) {
            String start = new String(header, 0, Math.min(SHOWN, header.length), StandardCharsets.UTF_8);
            throw new RunDirectoryException(path + " is no sample log: its header lacks " + missing + " and begins "
                    + ReadableText.quoted(start)
                    + "; JMeter writes one with jmeter.save.saveservice.output_format=csv and"
                    + " print_field_names=true");
        }
        return columns;
    }
}
