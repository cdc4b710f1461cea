package io.github.switchover.jmeter;

import io.github.switchover.jmeter.core.EventKind;
import io.github.switchover.jmeter.core.Ignored;
import io.github.switchover.jmeter.core.Journal;
import io.github.switchover.jmeter.core.PointFormat;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.core.SampleWriter;
import io.github.switchover.jmeter.judge.RunData;
import io.github.switchover.jmeter.run.RunFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;

/** A run that the vectors describe, as the directory that it would have left. */
public final class RunFolder {

    private RunFolder() {}

    public static void write(Path directory, RunData data) {
        RunFile.write(directory, data.run());
        write(directory.resolve("probes.jtl"), data.probes(), data.unread().probes());
        write(directory.resolve("samples.jtl"), data.samples(), data.unread().samples());
        try (Journal journal = new Journal(directory.resolve("journal.lp"), Map.of())) {
            data.points()
                    .forEach(point -> journal.writeLine(
                            PointFormat.format(point.measurement(), point.tags(), point.fields(), point.timeNs())));
            if (data.run().plan().endUs() != null) {
                journal.event(EventKind.END, "", data.run().plan().endUs() * 1000);
            }
        }
    }

    private static void write(Path path, Iterable<Sample> samples, Ignored unread) {
        try (SampleWriter writer = new SampleWriter(path)) {
            samples.forEach(writer::write);
        }
        try {
            for (long line = 0; line < unread.total(); line++) {
                Files.writeString(path, "a damaged row\n", StandardOpenOption.APPEND);
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
