package io.github.switchover.jmeter;

import io.github.switchover.jmeter.core.Point.EventKind;
import io.github.switchover.jmeter.core.Sample;
import io.github.switchover.jmeter.run.Journal;
import io.github.switchover.jmeter.run.PointFormat;
import io.github.switchover.jmeter.run.Run;
import io.github.switchover.jmeter.run.RunFile;
import io.github.switchover.jmeter.run.SampleWriter;
import io.github.switchover.jmeter.run.Seal;
import io.github.switchover.jmeter.verdict.RunData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;

/** A run that the vectors describe, as the directory that it would have left. */
public final class RunFolder {

    private RunFolder() {}

    public static void write(Path directory, RunData data) {
        write(directory.resolve("probes.jtl"), data.probes(), data.unreadLines());
        write(directory.resolve("samples.jtl"), data.samples(), 0);
        try (Journal journal = new Journal(directory.resolve("journal.lp"), Map.of())) {
            data.points()
                    .forEach(point -> journal.writeLine(
                            PointFormat.format(point.measurement(), point.tags(), point.fields(), point.timeNs())));
            if (data.run().plan().endUs() != null) {
                journal.event(EventKind.END, "", data.run().plan().endUs() * 1000);
            }
        }
        Run run = data.run();
        for (String name : List.of("probes.jtl", "samples.jtl", "journal.lp")) {
            run = run.sealed(Map.of(name, seal(directory.resolve(name))));
        }
        RunFile.write(directory, run);
    }

    private static Seal seal(Path file) {
        try {
            byte[] data = Files.readAllBytes(file);
            return new Seal(0, data.length, data.length == 0 ? "" : Seal.checksum(data));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private static void write(Path path, Iterable<Sample> samples, long unread) {
        try (SampleWriter writer = new SampleWriter(path)) {
            samples.forEach(writer::write);
        }
        try {
            for (long line = 0; line < unread; line++) {
                Files.writeString(path, "a damaged row\n", StandardOpenOption.APPEND);
            }
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
